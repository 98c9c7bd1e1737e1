import Glibc
import LoopbackServer
import Platform

extension LoopbackServer {
    /// A server whose root lists these links, raw as they stand in `href`; ends in "/" for a directory.
    convenience init(listing links: String...) throws {
        try self.init()
        directory("/", links)
    }

    /// A plain listing of names at `target`.
    func directory(_ target: String, _ links: [String]) {
        on(target, .html(links.map { "<a href=\"\($0)\">\($0)</a>\n" }.joined()))
    }

    /// An ordinary file of the test pattern.
    func pattern(_ target: String, _ size: Int64) { on(target, FileResource.pattern(size).responder) }

    /// An ordinary text file.
    func text(_ target: String, _ text: String) { on(target, FileResource(.text(text)).responder) }

    /// The requests for one target, of any or one method.
    func requests(_ target: String, method: String? = nil) -> [LoggedRequest] {
        log.filter { $0.target == target && (method == nil || $0.method == method) }
    }
}

/// A value that a test switches while a responder reads it.
final class Switch<Value: Sendable>: Sendable {
    private let state: Lock<Value>
    init(_ value: Value) { state = Lock(value) }
    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// The bytes of a served test pattern.
func pattern(_ range: Range<Int64>) -> [UInt8] { Pattern.bytes(range) }

/// Whether a path outside the mount exists.
func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

extension String {
    /// As it stands between double quotes of bash.
    var shellQuoted: String {
        reduce(into: "") { text, character in
            if "\"\\$`".contains(character) { text.append("\\") }
            text.append(character)
        }
    }
}
