import Platform

/// What a finished command left behind.
package struct Command: Sendable, CustomStringConvertible {
    /// The exit status, 128 + N after signal N as in a shell, or nil when it had to be killed at its time limit.
    package let status: Int32?
    package let output: [UInt8]
    package let errors: String
    package let elapsed: Duration

    package init(status: Int32?, output: [UInt8], errors: String, elapsed: Duration) {
        self.status = status
        self.output = output
        self.errors = errors
        self.elapsed = elapsed
    }

    package var text: String { String(decoding: output, as: UTF8.self) }
    /// Standard output by lines, without the last line feed.
    package var lines: [String] { text.split(separator: "\n").map(String.init) }
    package var succeeded: Bool { status == 0 }

    /// Whether it ended by itself, without success, and said so in these words.
    package func fails(with words: String) -> Bool {
        (1...127).contains(status ?? 0) && errors.contains(words)
    }

    package var description: String {
        "status \(status.map(String.init) ?? "none (time limit)") after \(elapsed.inSeconds) s, "
            + "output '\(text.prefix(400))', errors '\(errors.prefix(2000))'"
    }

    /// The environment of every child: nothing of the caller's but the place of temporary files.
    package static let environment = [
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC",
    ]

    /// Runs a program to its end; kills it and its children when `limit` is over.
    package static func run(
        _ arguments: [String], environment: [String: String] = environment, directory: String? = nil,
        limit: Duration = .seconds(60)
    ) async throws -> Command {
        let started = Instant.now()
        let child = try ChildProcess(arguments, environment: environment, directory: directory)
        var exit = await child.wait(within: limit)
        let elapsed = Instant.now() - started
        if exit == nil {
            child.killGroup()
            _ = await child.wait(within: .seconds(5))
        } else if case .signal(let number) = exit {
            exit = .status(128 + number)
        }
        let status: Int32? = if case .status(let status) = exit { status } else { nil }
        return Command(status: status, output: child.output, errors: child.errors, elapsed: elapsed)
    }
}
