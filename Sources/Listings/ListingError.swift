import Platform
import XML

/// Why an answer is not a directory.
package enum ListingError: Error, Hashable, Sendable {
    /// The body is something else (an error page, a site, an unknown type); the text says what it looked like.
    case notAListing(String)
    /// More than the parser takes: entries, depth or bytes.
    case tooLarge
    /// The text cannot be read (broken encoding or markup); the parser's words.
    case malformed(String)
}

extension ListingError {
    init(_ error: XMLError) {
        switch error {
        case .tooLarge: self = .tooLarge
        case .malformed, .refused: self = .malformed(DisplayText.sanitized(error.description))
        }
    }
}
