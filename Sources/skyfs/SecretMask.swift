import Glibc
import Platform

/// Hides what may be secret in a text that looks like a URL and may be none: user name, password and query.
enum SecretMask {
    /// For a user name in a URL of the command line.
    static let warning = """
        skyfs: a password in a URL can be seen by every user of this machine in the list of processes
               put it into ~/.netrc or into a configuration file with mode 600

        """

    /// For messages.
    static func shown(_ text: String) -> String {
        let parts = Parts(Array(text.utf8))
        var result = String(decoding: parts.start, as: UTF8.self)
        if !parts.userinfo.isEmpty { result += "…" }
        result += String(decoding: parts.address, as: UTF8.self)
        if !parts.query.isEmpty { result += "?…" }
        return DisplayText.sanitized(result)
    }

    /// The same length, with an "x" for every secret byte. A word without "://" stays as it is.
    static func crossedOut(_ word: [UInt8]) -> [UInt8] {
        let parts = Parts(word)
        guard !parts.start.isEmpty else { return word }
        let cross = { (bytes: ArraySlice<UInt8>) in [UInt8](repeating: UInt8(ascii: "x"), count: bytes.count) }
        return parts.start + cross(parts.userinfo) + parts.address + parts.query.prefix(1)
            + cross(parts.query.dropFirst())
    }

    /// `crossedOut`, and all of a secret where the word is one or ends in "=" and one, as in `--param=SECRET`.
    static func crossedOut(_ word: [UInt8], secrets: [[UInt8]]) -> [UInt8] {
        let found = secrets.first { secret in
            word == secret
                || (word.count > secret.count && word.suffix(secret.count + 1) == [UInt8(ascii: "=")] + secret)
        }
        guard let found else { return crossedOut(word) }
        return word.dropLast(found.count) + [UInt8](repeating: UInt8(ascii: "x"), count: found.count)
    }

    /// Crosses secrets out of this process's own command line, as all users see it in `/proc/PID/cmdline`.
    /// - Parameter words: values of options that are secret as a whole.
    static func hideInProcessList(words secretWords: [String] = []) {
        guard let area = argumentArea() else { return }
        // SAFETY: the kernel laid the words of the command line there, in writable memory that stays for the process's
        // life; nobody else writes to it, and Swift's `CommandLine` works on copies.
        let words = UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(bitPattern: area.start), count: area.count)
        let secrets = secretWords.map { Array($0.utf8) }
        var start = 0
        while start < words.count {
            let end = words[start...].firstIndex(of: 0) ?? words.count
            words[start..<end].copyBytes(from: crossedOut(Array(words[start..<end]), secrets: secrets))
            start = end + 1
        }
    }

    /// `arg_start` and `arg_end`, fields 48 and 49 of `/proc/self/stat` (proc(5)).
    private static func argumentArea() -> (start: UInt, count: Int)? {
        guard let bytes = FileReading.all("/proc/self/stat"), let name = bytes.lastIndex(of: UInt8(ascii: ")")) else {
            return nil
        }
        // The second field, the name, may hold blanks.
        let fields = String(decoding: bytes[(name + 1)...], as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard fields.count > 46, let start = UInt(fields[45]), let end = UInt(fields[46]), start != 0, start < end
        else {
            return nil
        }
        return (start, Int(end - start))
    }

    private struct Parts {
        /// Up to "://"; empty if there is none.
        let start: ArraySlice<UInt8>
        /// Without the "@".
        let userinfo: ArraySlice<UInt8>
        let address: ArraySlice<UInt8>
        /// With the "?".
        let query: ArraySlice<UInt8>

        init(_ text: [UInt8]) {
            let mark = Array("://".utf8)
            let scheme = text.indices.first { text[$0...].starts(with: mark) }.map { $0 + mark.count } ?? 0
            // The last "@" of all: a password may hold "@", "/" and "?", and hiding too much does no harm.
            let at = text[scheme...].lastIndex(of: UInt8(ascii: "@")) ?? scheme
            let question = text[at...].firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
            start = text[..<scheme]
            userinfo = text[scheme..<at]
            address = text[at..<question]
            query = text[question...]
        }
    }
}
