import Glibc
import MountHarness
import Platform

/// A server of Debian as a child process, serving a directory on a free port of 127.0.0.1.
struct WebServer: Sendable {
    enum Kind: CaseIterable, Sendable {
        case nginx, apache, lighttpd, python
        /// Other forms of their listings.
        case nginxJSON, nginxRounded, apacheFancy, apachePlain
        case caddy, rclone, copyparty
        case apacheWebDAV, rcloneWebDAV, wsgidav
        /// An S3 server in memory, which checks signatures.
        case moto

        /// Those that all of `WebServerTests` runs against.
        static let common: [Kind] = [.nginx, .apache, .lighttpd, .python]
    }

    let kind: Kind
    let port: Int
    let process: ChildProcess
    let scratch: Scratch

    /// Of the directory that is served, without a slash behind.
    var url: String { "http://127.0.0.1:\(port)\(kind == .moto ? "/bucket" : "")" }

    /// What is mounted: the directory, and how it is spoken to where that is not for skyfs to find out.
    var source: String {
        switch kind {
        case .apacheWebDAV, .rcloneWebDAV, .wsgidav: "dav+\(url)/"
        case .moto: "s3+\(url)/"
        default: "\(url)/"
        }
    }

    /// Access key and secret of the S3 server, once it is ready.
    var keys: (access: String, secret: String)? {
        let words = String(decoding: process.output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return words.count == 2 ? (String(words[0]), String(words[1])) : nil
    }

    /// What the environment of a program must hold that uses the server.
    var environment: [String: String] {
        guard kind == .moto, let keys else { return [:] }
        return ["AWS_ACCESS_KEY_ID": keys.access, "AWS_SECRET_ACCESS_KEY": keys.secret]
    }

    /// Serves `root` until `stop`.
    /// - Parameter digestUser: a user and password asked for with Digest authentication, which only Apache is set up for here.
    static func start(
        _ kind: Kind, root: String, in scratch: Scratch, digestUser: (name: String, password: String)? = nil
    ) async throws -> WebServer {
        if kind == .python { return try await startPython(root: root, in: scratch) }
        var failure = ""
        // The port is free when it is chosen, and may be taken by another program a moment later.
        for attempt in 0..<5 {
            let port = try LoopbackPort.free()
            let arguments = try await arguments(kind, root: root, port: port, in: scratch, digestUser: digestUser)
            let process = try ChildProcess(
                arguments, environment: Command.environment.merging(["HOME": scratch.path]) { $1 })
            let server = WebServer(kind: kind, port: port, process: process, scratch: scratch)
            let answers = await eventually(within: .seconds(60)) {
                process.exit != nil || LoopbackPort.answers(port) && (kind != .moto || server.keys != nil)
            }
            if answers, process.exit == nil { return server }
            process.killGroup()
            _ = await process.wait(within: .seconds(10))
            failure = "attempt \(attempt): \(process.errors) \(scratch.text("error.log"))"
        }
        throw HarnessError("\(kind) does not start: \(failure)")
    }

    private static func arguments(
        _ kind: Kind, root: String, port: Int, in scratch: Scratch, digestUser: (name: String, password: String)?
    ) async throws -> [String] {
        switch kind {
        case .nginx: return try ServerConfiguration.nginx(root: root, port: port, in: scratch)
        case .nginxJSON: return try ServerConfiguration.nginx(root: root, port: port, format: "json", in: scratch)
        case .nginxRounded:
            return try ServerConfiguration.nginx(root: root, port: port, isExact: false, in: scratch)
        case .apache: return try await ServerConfiguration.apache(root: root, port: port, user: digestUser, in: scratch)
        case .apacheFancy:
            // Two links for each entry, and names that are cut.
            return try await ServerConfiguration.apache(
                root: root, port: port, listing: "FancyIndexing IconsAreLinks FoldersFirst NameWidth=20", in: scratch)
        case .apachePlain:
            return try await ServerConfiguration.apache(root: root, port: port, listing: "None", in: scratch)
        case .apacheWebDAV: return try ServerConfiguration.apacheWebDAV(root: root, port: port, in: scratch)
        case .lighttpd: return try ServerConfiguration.lighttpd(root: root, port: port, in: scratch)
        case .caddy: return try ServerConfiguration.caddy(root: root, port: port, in: scratch)
        case .rclone: return ServerConfiguration.rclone("http", root: root, port: port)
        case .rcloneWebDAV: return ServerConfiguration.rclone("webdav", root: root, port: port)
        case .copyparty: return try ServerConfiguration.copyparty(root: root, port: port, in: scratch)
        case .wsgidav: return try ServerConfiguration.wsgidav(root: root, port: port)
        case .moto: return try ServerConfiguration.moto(root: root, port: port, in: scratch)
        case .python: return []
        }
    }

    /// Ends the server, which writes its log to the end.
    func stop() async {
        process.signal(kind == .python ? SIGINT : SIGTERM)
        if await process.wait(within: .seconds(15)) == nil {
            process.killGroup()
            _ = await process.wait(within: .seconds(5))
        }
    }

    /// The request lines the server has logged, for example "GET /a.txt"; complete after `stop`.
    var requests: [String] {
        let log = kind == .python ? process.errors : scratch.text("access.log")
        return log.split(separator: "\n").compactMap { line in
            guard let start = line.firstIndex(of: "\"") else { return nil }
            let words = line[line.index(after: start)...].split(separator: " ")
            return words.count >= 3 && words[2].hasPrefix("HTTP/") ? "\(words[0]) \(words[1])" : nil
        }
    }

    /// `http.server` chooses its port by itself.
    private static func startPython(root: String, in scratch: Scratch) async throws -> WebServer {
        let process = try ChildProcess(
            ["/usr/bin/python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", root],
            environment: Command.environment)
        func port() -> Int? {
            let words = String(decoding: process.output, as: UTF8.self).split(separator: " ")
            guard let index = words.firstIndex(of: "port"), index + 1 < words.count else { return nil }
            return Int(words[index + 1])
        }
        guard await eventually(within: .seconds(30), { process.exit != nil || port() != nil }), let port = port() else {
            process.killGroup()
            throw HarnessError("http.server does not start: \(process.errors)")
        }
        return WebServer(kind: .python, port: port, process: process, scratch: scratch)
    }
}
