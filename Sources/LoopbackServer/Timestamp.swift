import Glibc

/// Writes moments the way servers do. UTC, English names.
package enum Timestamp {
    /// The form of HTTP fields, for example "Mon, 06 Jul 2026 10:00:00 GMT".
    /// - Parameter seconds: since 1970.
    package static func http(_ seconds: Int64) -> String { formatted(seconds, "%a, %d %b %Y %H:%M:%S GMT") }

    /// - Parameter format: for `strftime`; the locale of the process is "C" unless it was set.
    static func formatted(_ seconds: Int64, _ format: String) -> String {
        var moment = time_t(seconds)
        var fields = tm()
        gmtime_r(&moment, &fields)
        // SAFETY: `strftime` writes at most the buffer and returns how much.
        let text = [CChar](unsafeUninitializedCapacity: 64) { buffer, filled in
            filled = strftime(buffer.baseAddress, buffer.count, format, &fields)
        }
        return String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
