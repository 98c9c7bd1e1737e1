import Glibc
package import Platform

/// The built `skyfs` as a child process, with a mount on a directory of its own.
package struct SkyfsMount: Sendable {
    /// The mount point.
    package let path: String
    /// A directory for the test's own files; also HOME of skyfs and of all commands.
    package let scratch: Scratch
    package let process: ChildProcess
    /// The command line that made the mount.
    package let arguments: [String]

    package init(path: String, scratch: Scratch, process: ChildProcess, arguments: [String]) {
        self.path = path
        self.scratch = scratch
        self.process = process
        self.arguments = arguments
    }

    /// The program under test, built beside the tests.
    package static var program: String {
        get throws {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/exe", &buffer, buffer.count)
            let tests = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
            let program = tests.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/skyfs"
            guard access(program, X_OK) == 0 else { throw HarnessError("no program at \(program)") }
            return program
        }
    }

    package static func environment(home: String) -> [String: String] {
        Command.environment.merging([
            "HOME": home, "XDG_CACHE_HOME": "\(home)/cache", "XDG_STATE_HOME": "\(home)/state",
            // A crash of the program shall show where it was.
            "SWIFT_BACKTRACE": "enable=yes,interactive=no,color=no,limit=24",
        ]) { $1 }
    }

    /// `skyfs mount -f` with the given options, sources and mount point.
    package static func arguments(_ sources: [String], at path: String, options: String) throws -> [String] {
        [try program, "mount", "-f"] + (options.isEmpty ? [] : ["-o", options]) + sources + [path]
    }

    /// Runs a program; it gets the mount point as $M and the scratch directory as $T.
    package func run(_ arguments: String..., limit: Duration = .seconds(60)) async throws -> Command {
        try await run(arguments, limit: limit)
    }

    package func run(_ arguments: [String], limit: Duration = .seconds(60)) async throws -> Command {
        try await Command.run(arguments, environment: commandEnvironment, directory: scratch.path, limit: limit)
    }

    /// Starts a program that the test ends itself; see `run`.
    package func start(_ arguments: String...) throws(Errno) -> ChildProcess {
        try ChildProcess(arguments, environment: commandEnvironment, directory: scratch.path)
    }

    /// Runs a bash script; see `run`.
    package func sh(_ script: String, limit: Duration = .seconds(60)) async throws -> Command {
        try await run(["bash", "-c", script, "bash"], limit: limit)
    }

    /// Runs a Python script with the mount point as its first argument.
    package func python(_ script: String, _ arguments: String..., limit: Duration = .seconds(60)) async throws
        -> Command
    {
        try await run(["/usr/bin/python3", "-c", script, path] + arguments, limit: limit)
    }

    /// `cat` of a file in the mount.
    package func cat(_ name: String, limit: Duration = .seconds(60)) async throws -> Command {
        try await run(["cat", "\(path)/\(name)"], limit: limit)
    }

    /// The bytes of a file in the mount.
    /// - Throws: what `cat` said, if it failed.
    package func bytes(_ name: String, limit: Duration = .seconds(60)) async throws -> [UInt8] {
        let command = try await cat(name, limit: limit)
        guard command.succeeded else { throw HarnessError("cat \(name): \(command)") }
        return command.output
    }

    /// The text of a file in the mount; see `bytes`.
    package func text(_ name: String, limit: Duration = .seconds(60)) async throws -> String {
        String(decoding: try await bytes(name, limit: limit), as: UTF8.self)
    }

    /// What a bash script writes to standard output.
    /// - Throws: what it said, if it failed.
    package func text(of script: String, limit: Duration = .seconds(60)) async throws -> String {
        let command = try await sh(script, limit: limit)
        guard command.succeeded else { throw HarnessError("\(script): \(command)") }
        return command.text
    }

    /// One `pread` of a new handle.
    package func read(_ name: String, at offset: Int64, count: Int, limit: Duration = .seconds(60)) async throws
        -> Command
    {
        try await run(
            [
                "dd", "if=\(path)/\(name)", "iflag=skip_bytes,count_bytes,fullblock", "skip=\(offset)",
                "count=\(count)", "bs=\(count)", "status=none",
            ], limit: limit)
    }

    /// The names in a directory of the mount, in byte order.
    package func list(_ name: String = "", limit: Duration = .seconds(60)) async throws -> [String] {
        let command = try await run(["ls", "-1A", "\(path)/\(name)"], limit: limit)
        guard command.succeeded else { throw HarnessError("ls \(name): \(command)") }
        return command.lines
    }

    /// `stat` with a format.
    package func stat(_ name: String, _ format: String, limit: Duration = .seconds(60)) async throws -> String {
        let command = try await run(["stat", "-c", format, "\(path)/\(name)"], limit: limit)
        guard command.succeeded else { throw HarnessError("stat \(name): \(command)") }
        return command.text.split(separator: "\n").joined(separator: "\n")
    }

    private var commandEnvironment: [String: String] {
        Self.environment(home: scratch.path).merging(["M": path, "T": scratch.path]) { $1 }
    }
}
