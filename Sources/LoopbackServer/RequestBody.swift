package import Platform

/// The body of a request, read piece by piece by a responder that does not want it as a whole. Used by the thread that
/// serves the connection.
package final class RequestBody {
    private let reader: RequestReader
    /// The stated length; nil if none is stated or the body comes in chunks. Nothing can be read then.
    package let length: Int64?
    /// Bytes that are still to come.
    package private(set) var remaining: Int64

    init(_ reader: RequestReader, length: Int64?) {
        self.reader = reader
        self.length = length
        remaining = length ?? 0
    }

    /// Waits for more of the body.
    /// - Returns: at most that many bytes; none at the end of the body.
    /// - Throws: when the peer is gone before the end, or the server stops.
    package func read(atMost count: Int) throws(Errno) -> [UInt8] {
        guard remaining > 0 else { return [] }
        do throws(RequestReader.Failure) {
            let bytes = try reader.readPiece(atMost: Int(min(Int64(count), remaining)))
            remaining -= Int64(bytes.count)
            return bytes
        } catch {
            throw .notConnected
        }
    }
}
