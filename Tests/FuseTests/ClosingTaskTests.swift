import Foundation
import Glibc
import Testing

@testable import Fuse

struct ClosingTaskTests {
    /// A line of `/proc/<pid>/stat` with the fields that count.
    private func line(flags: UInt64, exitCode: Int32, name: String = "cp") -> String {
        "4711 (\(name)) R 1 2 3 4 5 \(flags) " + (10...51).map { "\($0)" }.joined(separator: " ") + " \(exitCode)\n"
    }

    private func isKilled(flags: UInt64, exitCode: Int32, showsExitCode: Bool = true) -> Bool? {
        ClosingTask(line(flags: flags, exitCode: exitCode), showsExitCode: showsExitCode)?.isKilled
    }

    private static let exiting: UInt64 = 0x4
    private static let signaled: UInt64 = 0x400

    @Test func bothMarksMakeAKill() {
        let others: UInt64 = 0x40_0100
        #expect(isKilled(flags: others | Self.exiting | Self.signaled, exitCode: 9) == true)
        #expect(isKilled(flags: others | Self.exiting | Self.signaled, exitCode: 0x80 | 11) == true)
        #expect(isKilled(flags: others | Self.exiting, exitCode: 0) == false)
        #expect(isKilled(flags: others | Self.signaled, exitCode: 9) == false)
        #expect(isKilled(flags: others, exitCode: 0) == false)
    }

    /// The last thread of a process that called exit(3) is ended by a signal, too.
    @Test func exitCodeTellsAThreadsEndFromAKill() {
        let flags = Self.exiting | Self.signaled
        #expect(isKilled(flags: flags, exitCode: 0) == false)
        #expect(isKilled(flags: flags, exitCode: 0x100) == false)
        #expect(isKilled(flags: flags, exitCode: 0, showsExitCode: false) == true)
        #expect(isKilled(flags: flags, exitCode: 0x100, showsExitCode: false) == false)
    }

    @Test(arguments: ["a b", "\u{600}", ") R 1 2 3 4 5 1028", "((", "\n", ""])
    func nameMayHoldAnything(name: String) {
        let text = line(flags: Self.exiting | Self.signaled, exitCode: 15, name: name)
        #expect(ClosingTask(text, showsExitCode: true)?.isKilled == true)
    }

    @Test(arguments: ["", "4711 (cp", "4711 (cp) R 1 2", "4711 (cp) R 1 2 3 4 5 x"])
    func unreadableTextIsNothing(text: String) { #expect(ClosingTask(text, showsExitCode: true) == nil) }

    @Test func cutTextIsNothing() {
        let text = String(line(flags: Self.exiting | Self.signaled, exitCode: 15).dropLast(4))
        #expect(ClosingTask(text, showsExitCode: true) == nil)
    }

    @Test func livingTaskOfAnotherProcessIsOne() throws {
        #expect(ClosingTask.lives(getppid(), outside: getpid()))
        #expect(!ClosingTask.lives(getpid(), outside: getpid()))
        // A thread is a task of its own, and the process's all the same.
        let thread = try #require(
            FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { Int32($0) }.max())
        #expect(!ClosingTask.lives(thread, outside: getpid()))
        #expect(!ClosingTask.lives(.max, outside: getpid()))
    }

    @Test func ownProcessLives() {
        #expect(ClosingTask(pid: getpid(), user: getuid())?.isKilled == false)
        #expect(ClosingTask(pid: 0, user: 0) == nil)
        #expect(ClosingTask(pid: .max, user: 0) == nil)
    }
}
