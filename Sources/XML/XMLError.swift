/// Why a document does not count. The words may hold pieces of the document: clean them before a terminal sees them.
package enum XMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not a well-formed document, or cut before its root was closed.
    case malformed(String)
    /// More bytes, depth, attributes or text than `XMLLimits` allow.
    case tooLarge(String)
    /// Well-formed perhaps, but refused: a document type declaration, or an encoding that is not read.
    case refused(String)

    package var description: String {
        switch self {
        case .malformed(let words): "not a complete XML document: \(words)"
        case .tooLarge(let words): "XML beyond the limits: \(words)"
        case .refused(let words): "XML refused: \(words)"
        }
    }
}
