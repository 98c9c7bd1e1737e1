import Glibc
import MountHarness
import Platform

/// A server of Debian as a child process, serving a directory on a free port of 127.0.0.1.
struct WebServer: Sendable {
    enum Kind: CaseIterable, Sendable { case nginx, apache, lighttpd, python }

    let kind: Kind
    let port: Int
    let process: ChildProcess
    let scratch: Scratch

    var url: String { "http://127.0.0.1:\(port)" }

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
            let arguments =
                switch kind {
                case .nginx: try ServerConfiguration.nginx(root: root, port: port, in: scratch)
                case .apache:
                    try await ServerConfiguration.apache(root: root, port: port, user: digestUser, in: scratch)
                case .lighttpd, .python: try ServerConfiguration.lighttpd(root: root, port: port, in: scratch)
                }
            let process = try ChildProcess(arguments, environment: Command.environment)
            let server = WebServer(kind: kind, port: port, process: process, scratch: scratch)
            let answers = await eventually(within: .seconds(20)) { process.exit != nil || LoopbackPort.answers(port) }
            if answers, process.exit == nil { return server }
            process.killGroup()
            _ = await process.wait(within: .seconds(10))
            failure = "attempt \(attempt): \(process.errors) \(scratch.text("error.log"))"
        }
        throw HarnessError("\(kind) does not start: \(failure)")
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
