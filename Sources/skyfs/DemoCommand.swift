import FoundationEssentials
import Glibc
import Platform

/// `skyfs demo`: a server of its own, mounted, looked at, and what that cost.
struct DemoCommand {
    /// Where the mount stays until Ctrl-C; nil: a temporary folder, for a look only.
    private let mountPoint: String?

    init(_ arguments: [String]) throws(CommandError) {
        var reader = ArgumentReader(arguments, options: [], command: "skyfs demo")
        var operands: [String] = []
        while let word = try reader.next() { if case .operand(let operand) = word { operands.append(operand) } }
        guard operands.count <= 1 else {
            throw CommandError(.usage, "at most one MOUNTPOINT", advice: "see skyfs demo --help")
        }
        mountPoint = operands.first
    }

    func run() throws(CommandError) -> ExitCode {
        SignalMask.blockEnding()
        let server = try DemoServer()
        defer { server.end() }
        let directory: String
        if let mountPoint { directory = mountPoint } else { directory = try Self.makeTemporaryDirectory() }
        defer { if mountPoint == nil { rmdir(directory) } }
        Output.print("$ skyfs mount \(server.url) \(directory)\n")
        guard let mount = ChildProcess(["/proc/self/exe", "mount", server.url, directory]) else {
            throw CommandError(.failure, "the demo could not be mounted: \(Errno.current)")
        }
        let code = mount.wait()
        // The command has said why.
        guard code == 0 else { return ExitCode(rawValue: code) ?? .failure }
        let path = try UnmountCommand.skyfsMount(at: directory)
        endAtSignal(path)
        defer { Self.finish(path) }
        try show(path, server)
        if mountPoint != nil {
            Output.print("\nMounted on \(path). Look around; Ctrl-C ends the demo.\n")
            while true { pause() }
        }
        return .success
    }

    /// Ctrl-C ends the demo at any moment; the server ends with this process.
    private func endAtSignal(_ path: String) {
        _ = try? Thread.start(name: "signals") {
            _ = SignalMask.wait()
            Self.finish(path)
            if mountPoint == nil { rmdir(path) }
            _exit(ExitCode.success.rawValue)
        }
    }

    private static func finish(_ path: String) {
        do {
            try Unmounting.unmount(path, isLazy: true)
            Output.print("$ skyfs unmount \(path)\n")
        } catch { Output.error(error.text) }
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

    private func show(_ path: String, _ server: DemoServer) throws(CommandError) {
        try showing("$ ls -R", "the tree", server) { () throws(CommandError) in try list(path, indent: "  ") }
        try showing("$ cat README.txt", "the file", server) { () throws(CommandError) in
            let text = try read("\(path)/README.txt", offset: 0, count: 4096)
            for line in String(decoding: text, as: UTF8.self).split(separator: "\n") { Output.print("  \(line)\n") }
        }
        let middle = "4096 bytes from the middle of big.bin"
        try showing("$ dd if=big.bin bs=4096 skip=8192 count=1", middle, server) { () throws(CommandError) in
            let bytes = try read("\(path)/big.bin", offset: 8192 * 4096, count: 4096)
            guard bytes.count == 4096 else { throw CommandError(.failure, "big.bin ended early") }
        }
    }

    private func showing(
        _ command: String, _ what: String, _ server: DemoServer, _ body: () throws(CommandError) -> Void
    ) throws(CommandError) {
        Output.print("\(command)\n")
        let before = try server.totals()
        try body()
        let after = try server.totals()
        let requests = after.requests - before.requests
        Output.print(
            "  -> \(what): \(requests) \(requests == 1 ? "request" : "requests"), "
                + "\(after.bytes - before.bytes) bytes from the server\n")
    }

    private func read(_ path: String, offset: Int, count: Int) throws(CommandError) -> [UInt8] {
        guard let bytes = FileReading.part(path, offset: offset, count: count) else {
            throw CommandError(.failure, "cannot read \(path): \(Errno.current)")
        }
        return bytes
    }

    private func list(_ path: String, indent: String) throws(CommandError) {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw CommandError(.failure, "cannot list \(path)")
        }
        for name in names.sorted() {
            let child = "\(path)/\(name)"
            var status = stat()
            guard stat(child, &status) == 0 else {
                throw CommandError(.failure, "cannot look at \(child): \(Errno.current)")
            }
            let isDirectory = status.st_mode & S_IFMT == S_IFDIR
            let kind = isDirectory ? "/" : "  (\(status.st_size) bytes)"
            Output.print("\(indent)\(DisplayText.sanitized(name))\(kind)\n")
            if isDirectory { try list(child, indent: indent + "  ") }
        }
    }
}
