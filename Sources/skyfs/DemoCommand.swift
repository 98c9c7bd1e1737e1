import FoundationEssentials
import Glibc
import Platform

/// `skyfs demo`: a server of its own, mounted, looked at, and what that cost.
struct DemoCommand {
    private let mountPoint: String?

    init(_ arguments: [String]) throws(CommandError) {
        guard arguments.count <= 1, !(arguments.first?.hasPrefix("-") ?? false) else {
            throw CommandError(.usage, "at most one MOUNTPOINT", advice: "see skyfs demo --help")
        }
        mountPoint = arguments.first
    }

    func run() throws(CommandError) -> ExitCode {
        SignalMask.blockEnding()
        let server = try startServer()
        defer { server.end() }
        let directory: String
        if let mountPoint { directory = mountPoint } else { directory = try Self.makeTemporaryDirectory() }
        defer { if mountPoint == nil { rmdir(directory) } }
        Output.print("$ skyfs mount \(server.url) \(directory)\n")
        guard let mount = ChildProcess(["/proc/self/exe", "mount", server.url, directory]), mount.wait() == 0 else {
            throw CommandError(.failure, "the demo could not be mounted")
        }
        let path = try UnmountCommand.skyfsMount(at: directory)
        show(path)
        if mountPoint != nil {
            Output.print("\nMounted on \(path). Look around; Ctrl-C ends the demo.\n")
            _ = SignalMask.wait()
        }
        try Unmounting.unmount(path, isLazy: mountPoint != nil)
        Output.print("$ skyfs unmount \(directory)\n")
        return .success
    }

    private struct Server {
        let process: ChildProcess
        let url: String
        let lifeline: Int32

        /// The server ends when its standard input does.
        func end() {
            close(lifeline)
            _ = process.wait()
        }
    }

    private func startServer() throws(CommandError) -> Server {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let program = (own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "") + "/skyfs-demo-server"
        guard let input = Pipe(), let output = Pipe(),
            let process = ChildProcess([program], input: input.reading, standardOutput: output.writing)
        else {
            throw CommandError(.failure, "cannot start \(program)", advice: "it is built beside skyfs by make build")
        }
        close(input.reading)
        close(output.writing)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 256, read(output.reading, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
        close(output.reading)
        return Server(process: process, url: String(decoding: line, as: UTF8.self), lifeline: input.writing)
    }

    private static func makeTemporaryDirectory() throws(CommandError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/skyfs-demo.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandError(.failure, "cannot make a folder in \(parent): \(Errno.current)")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: What there is to see

    private struct Cost: Decodable {
        struct HTTP: Decodable { var requests: Int, bytesReceived: Int64 }
        var http: HTTP
    }

    private func cost(_ path: String) -> Cost.HTTP {
        let bytes = FileReading.all("\(path)/.skyfs/status.json") ?? []
        return (try? JSONDecoder().decode(Cost.self, from: Data(bytes)).http)
            ?? Cost.HTTP(requests: 0, bytesReceived: 0)
    }

    private func show(_ path: String) {
        let start = cost(path)
        Output.print("$ ls -R\n")
        list(path, indent: "  ")
        say("the tree", since: start, path)

        let beforeFile = cost(path)
        Output.print("$ cat README.txt\n")
        let text = FileReading.all("\(path)/README.txt").map { String(decoding: $0, as: UTF8.self) } ?? ""
        for line in text.split(separator: "\n") { Output.print("  \(line)\n") }
        say("the file", since: beforeFile, path)

        let beforeMiddle = cost(path)
        Output.print("$ dd if=big.bin bs=4096 skip=8192 count=1\n")
        let middle = FileReading.part("\(path)/big.bin", offset: 8192 * 4096, count: 4096) ?? []
        say("\(middle.count) bytes from the middle of big.bin", since: beforeMiddle, path)
    }

    private func say(_ what: String, since start: Cost.HTTP, _ path: String) {
        let now = cost(path)
        Output.print(
            "  -> \(what): \(now.requests - start.requests) requests, "
                + "\(now.bytesReceived - start.bytesReceived) bytes from the server\n")
    }

    private func list(_ path: String, indent: String) {
        let manager = FileManager.default
        for name in ((try? manager.contentsOfDirectory(atPath: path)) ?? []).sorted() {
            let child = "\(path)/\(name)"
            var status = stat()
            guard stat(child, &status) == 0 else { continue }
            let isDirectory = status.st_mode & S_IFMT == S_IFDIR
            Output.print(
                "\(indent)\(DisplayText.sanitized(name))\(isDirectory ? "/" : "  (\(status.st_size) bytes)")\n")
            if isDirectory { list(child, indent: indent + "  ") }
        }
    }
}
