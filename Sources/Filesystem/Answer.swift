import HTTP

/// What an answer to a request for a file's bytes is, once its head is checked against what was asked (RFC 9110, 14 and 15).
/// Pure. Only `part` and `whole` carry bytes of the file.
enum Answer: Hashable, Sendable {
    /// 206 that begins where it was asked to; possibly shorter. `total` is nil for "*".
    case part(Range<Int64>, total: Int64?)
    /// 200: the whole file from byte 0. `size` is nil if it shows only at the end (no length, or a coded body).
    case whole(size: Int64?)
    /// 416 for a file of no bytes.
    case empty
    /// 416 though the range began inside the file, as far as known.
    case unsatisfiable(total: Int64?)
    /// 206 for another range than asked for.
    case wrongPart(String)
    /// 206 that does not say which bytes it holds.
    case unreadablePart
    /// A status with which servers refuse any Range header.
    case rangeRefused(Int)
    /// The version asked for with If-Match is gone, or its tag was never stable.
    case preconditionFailed
    case status(Int)

    /// - Parameters:
    ///   - range: what was asked for with a Range header; nil for a plain request.
    ///   - isDecoded: whether a content coding is undone on the way, so that lengths in the head are of other bytes.
    init(_ head: ResponseHead, to range: Range<Int64>?, isDecoded: Bool) {
        let isCoded = isDecoded && !head.contentEncodings.isEmpty
        switch (head.status, range) {
        case (206, let range?):
            self = isCoded ? .unreadablePart : Answer(partial: head.contentRange, to: range)
        case (206, nil):
            self = .wrongPart("206 to a request without a range")
        case (200, _):
            self = .whole(size: isCoded ? nil : head.contentLength)
        case (416, let range?):
            switch head.contentRange {
            case .unsatisfied(total: 0): self = .empty
            case .unsatisfied(let total) where total > range.lowerBound: self = .unsatisfiable(total: total)
            default: self = .unsatisfiable(total: nil)
            }
        case (400, .some), (403, .some), (405, .some), (406, .some), (501, .some):
            self = .rangeRefused(head.status)
        case (412, _):
            self = .preconditionFailed
        case (let status, _):
            self = .status(status)
        }
    }

    private init(partial contentRange: ContentRange, to range: Range<Int64>) {
        switch contentRange {
        case .satisfied(let bytes, let total):
            if bytes.lowerBound == range.lowerBound {
                self = .part(bytes.clamped(to: range), total: total)
            } else {
                self = .wrongPart("asked for bytes from \(range.lowerBound), got bytes from \(bytes.lowerBound)")
            }
        case .absent, .invalid, .unsatisfied:
            self = .unreadablePart
        }
    }
}

extension ResponseHead {
    /// Whether receiving a body that nobody needs costs less than the connection that breaking it off would.
    var hasShortBody: Bool { contentLength.map { $0 <= 4096 } ?? false }
}
