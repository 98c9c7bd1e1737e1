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
        let mount = try DemoMount(server, on: mountPoint)
        // Ctrl-C ends the demo at any moment; the server ends with this process.
        _ = try? Thread.start(name: "signals") {
            _ = SignalMask.wait()
            mount.finish()
            _exit(ExitCode.success.rawValue)
        }
        defer { mount.finish() }
        try show(mount.path, server)
        if mountPoint != nil {
            Output.print("\nMounted on \(mount.path). Look around; Ctrl-C ends the demo.\n")
            while true { pause() }
        }
        return .success
    }

    // MARK: What there is to see

    private func show(_ path: String, _ server: DemoServer) throws(CommandError) {
        let files = "\(path)/files"
        try showing("$ ls -R files", "the tree", server) { () throws(CommandError) in try list(files, indent: "  ") }
        try showing("$ cat files/README.txt", "the file", server) { () throws(CommandError) in
            printIndented(try read("\(files)/README.txt", offset: 0, count: 4096))
        }
        let middle = "4096 bytes from the middle of big.bin"
        try showing("$ dd if=files/big.bin bs=4096 skip=8192 count=1", middle, server) { () throws(CommandError) in
            let bytes = try read("\(files)/big.bin", offset: 8192 * 4096, count: 4096)
            guard bytes.count == 4096 else { throw CommandError(.failure, "big.bin ended early") }
        }
        try showing("$ cp hello.txt drop/ && skyfs wait \(path)", "the upload", server) { () throws(CommandError) in
            try write(Array("Hello, server!\n".utf8), to: "\(path)/drop/hello.txt")
            let wait = UploadWait(mount: path, tells: false)
            guard let reports = wait.run() else { throw CommandError(.failure, "the mount does not answer") }
            if let failures = wait.failures(reports) { throw failures }
        }
        Output.print("$ cat drop/sent/hello.txt.json\n")
        printIndented(try read("\(path)/drop/sent/hello.txt.json", offset: 0, count: 4096))
        try showFlights("flights/上海/北京", in: path, server)
    }

    /// One route: a day as it is read, and what a search over three finds. The first days listed are used.
    private func showFlights(_ route: String, in path: String, _ server: DemoServer) throws(CommandError) {
        var days: [String] = []
        try showing("$ ls \(route) | head -3", "the list of cities", server) { () throws(CommandError) in
            days = Array(try names("\(path)/\(route)").prefix(3))
            for day in days { Output.print("  \(day)\n") }
        }
        guard let first = days.first else { throw CommandError(.failure, "no days in \(route)") }
        try showing("$ cat \(route)/\(first)", "the day", server) { () throws(CommandError) in
            printIndented(try read("\(path)/\(route)/\(first)", offset: 0, count: 65_536))
        }
        let pattern = "浦东"
        let files = days.map { $0.prefix(10) }.joined(separator: ",")
        let command = "$ grep \(pattern) \(route)/{\(files)}.txt"
        try showing(command, "the two days that were not known", server) { () throws(CommandError) in
            for day in days {
                let bytes = try read("\(path)/\(route)/\(day)", offset: 0, count: 65_536)
                for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.contains(pattern) {
                    Output.print("  \(day): \(DisplayText.sanitized(String(line)))\n")
                }
            }
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

    private func printIndented(_ bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            Output.print("  \(DisplayText.sanitized(String(line)))\n")
        }
    }

    private func read(_ path: String, offset: Int, count: Int) throws(CommandError) -> [UInt8] {
        guard let bytes = FileReading.part(path, offset: offset, count: count) else {
            throw CommandError(.failure, "cannot read \(path): \(Errno.current)")
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], to path: String) throws(CommandError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        // The verdict on what was written is that of close(2).
        guard descriptor >= 0, Pipe.write(bytes, to: descriptor), close(descriptor) == 0 else {
            throw CommandError(.failure, "cannot write \(path): \(Errno.current)")
        }
    }

    private func names(_ path: String) throws(CommandError) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: path).sorted() } catch {
            throw CommandError(.failure, "cannot list \(path)")
        }
    }

    private func list(_ path: String, indent: String) throws(CommandError) {
        for name in try names(path) {
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
