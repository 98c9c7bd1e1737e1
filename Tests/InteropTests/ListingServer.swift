import Foundation
import Glibc
import MountHarness
import Platform

/// A program of others that lists a directory in its own way, on a free port of 127.0.0.1.
struct ListingServer: Sendable {
    enum Kind: CaseIterable, Sendable {
        case nginx, nginxJSON, apache, lighttpd, caddy, python, rcloneHTTP, copyparty
        case rcloneWebDAV, apacheDAV, wsgidav
        case moto
    }

    let kind: Kind
    let port: Int
    let process: ChildProcess

    /// What is mounted.
    var source: String {
        let url = "http://127.0.0.1:\(port)"
        return switch kind {
        case .nginx, .nginxJSON, .apache, .lighttpd, .caddy, .python, .rcloneHTTP, .copyparty: "\(url)/"
        // Apache has no page for people here, and is recognised by that.
        case .apacheDAV: "\(url)/"
        case .rcloneWebDAV, .wsgidav: "dav+\(url)/"
        case .moto: "s3+\(url)/bucket/"
        }
    }

    static var python: String {
        get throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let path = root.appending(path: ".build/interop/bin/python").path
            guard access(path, X_OK) == 0 else { throw HarnessError("no \(path): run scripts/setup") }
            return path
        }
    }

    static func start(_ kind: Kind, root: String, in scratch: Scratch) async throws -> ListingServer {
        var failure = ""
        for attempt in 0..<5 {
            let port = try LoopbackPort.free()
            let process = try ChildProcess(
                try await arguments(kind, root: root, port: port, in: scratch),
                environment: Command.environment.merging(["HOME": scratch.path]) { $1 })
            let server = ListingServer(kind: kind, port: port, process: process)
            let answers = await eventually(within: .seconds(60)) { process.exit != nil || LoopbackPort.answers(port) }
            if answers, process.exit == nil {
                if kind == .moto { try await fillBucket(root: root, port: port, in: scratch) }
                return server
            }
            await server.stop()
            failure = "attempt \(attempt): \(process.errors) \(scratch.text("error.log"))"
        }
        throw HarnessError("\(kind) does not start: \(failure)")
    }

    func stop() async {
        process.signal(SIGTERM)
        if await process.wait(within: .seconds(15)) == nil {
            process.killGroup()
            _ = await process.wait(within: .seconds(5))
        }
    }

    private static func arguments(
        _ kind: Kind, root: String, port: Int, in scratch: Scratch
    ) async throws -> [String] {
        let address = "127.0.0.1:\(port)"
        switch kind {
        case .nginx: return try ServerConfiguration.nginx(root: root, port: port, in: scratch)
        case .nginxJSON:
            return try ServerConfiguration.nginx(root: root, port: port, more: "autoindex_format json;", in: scratch)
        case .apache: return try await ServerConfiguration.apache(root: root, port: port, user: nil, in: scratch)
        case .apacheDAV:
            return try await ServerConfiguration.apache(root: root, port: port, user: nil, isDAV: true, in: scratch)
        case .lighttpd: return try ServerConfiguration.lighttpd(root: root, port: port, in: scratch)
        case .caddy: return ["/usr/bin/caddy", "file-server", "--browse", "--listen", address, "--root", root]
        case .python: return ["/usr/bin/python3", "-m", "http.server", "\(port)", "--bind", "127.0.0.1", "-d", root]
        case .rcloneHTTP: return ["/usr/bin/rclone", "serve", "http", "--config", "", "--addr", address, root]
        case .rcloneWebDAV: return ["/usr/bin/rclone", "serve", "webdav", "--config", "", "--addr", address, root]
        case .copyparty:
            return [
                try python, "-m", "copyparty", "-q", "-i", "127.0.0.1", "-p", "\(port)", "-v", "\(root)::r.",
                "--no-crt",
                "--no-thumb",
            ]
        case .wsgidav:
            return [
                try python, "-m", "wsgidav.server.server_cli", "--host=127.0.0.1", "--port=\(port)", "--root=\(root)",
                "--auth=anonymous", "--no-config", "-q",
            ]
        case .moto: return [try python, "-m", "moto.server", "-H", "127.0.0.1", "-p", "\(port)"]
        }
    }

    /// Puts every file of the directory into a new bucket, through the program that signs as Amazon's own tools do.
    private static func fillBucket(root: String, port: Int, in scratch: Scratch) async throws {
        let script = """
            import boto3, os, sys
            root = os.fsencode(sys.argv[1])
            s3 = boto3.client("s3", endpoint_url=sys.argv[2], region_name="us-east-1",
                aws_access_key_id="AKID", aws_secret_access_key="secret")
            s3.create_bucket(Bucket="bucket")
            for folder, _, names in os.walk(root):
                for name in names:
                    path = os.path.join(folder, name)
                    key = os.path.relpath(path, root).decode()
                    with open(path, "rb") as file: s3.put_object(Bucket="bucket", Key=key, Body=file.read())

            """
        let filled = try await Command.run(
            [try python, try scratch.file("fill.py", script), root, "http://127.0.0.1:\(port)"], limit: .seconds(120))
        guard filled.succeeded else { throw HarnessError("\(filled)") }
    }
}
