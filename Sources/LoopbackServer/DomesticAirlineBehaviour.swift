import Glibc

/// How the played flight service answers.
package enum DomesticAirlineBehaviour: Sendable {
    case normal
    /// The free user asked too often, or too fast.
    case quota, tooFast
    /// The right answer after a while.
    case slow(Duration)
    /// The right answer, cut after so many bytes; the length it announces is that of the whole.
    case cut(afterBody: Int64)
    /// The same with a length that fits what is sent: only the document itself tells.
    case shortened(to: Int)
    /// An error page of a gateway.
    case failure(status: Int)
    /// The right answer spoilt.
    case hostile(HostileDocument)

    package enum HostileDocument: Sendable {
        case byteOrderMark, declaredGB2312, gbkAsUTF8, invalidByteInName, controlCharacter
        case entityBomb
        /// An entity that stands for what is at a URL.
        case externalEntity(String)
        /// So many elements inside each other.
        case deep(Int)
        case page, empty

        func bytes(of document: String) -> [UInt8] {
            switch self {
            case .byteOrderMark: [0xEF, 0xBB, 0xBF] + Array(document.utf8)
            case .declaredGB2312: Self.gbk(document.replacing("encoding=\"utf-8\"", with: "encoding=\"gb2312\""))
            case .gbkAsUTF8: Self.gbk(document)
            case .invalidByteInName: document.utf8.map { $0 == UInt8(ascii: "W") ? 0xFF : $0 }
            case .controlCharacter: Array(document.replacing("</Company>", with: "&#1;</Company>").utf8)
            case .entityBomb: Self.withType(Self.bomb, entity: "h", document)
            case .externalEntity(let url): Self.withType("<!ENTITY x SYSTEM \"\(url)\">", entity: "x", document)
            case .deep(let count):
                Array((String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)).utf8)
            case .page: Array("<html><head><title>Login</title></head><body><p>Please log in<br></body></html>".utf8)
            case .empty: []
            }
        }

        private static let bomb = zip("bcdefgh", "abcdefg").reduce("<!ENTITY a \"aaaaaaaaaa\">") {
            $0 + "<!ENTITY \($1.0) \"" + String(repeating: "&\($1.1);", count: 10) + "\">"
        }

        private static func withType(_ declarations: String, entity: String, _ document: String) -> [UInt8] {
            guard let end = document.firstRange(of: "?>") else { return [] }
            let body = document[end.upperBound...].replacing("</Company>", with: "&\(entity);</Company>")
                .replacing("</cnCityName>", with: "&\(entity);</cnCityName>")
            return Array((document[..<end.upperBound] + "<!DOCTYPE r [\(declarations)]>" + body).utf8)
        }

        private static func gbk(_ text: String) -> [UInt8] {
            let converter = iconv_open("GBK", "UTF-8")
            defer { iconv_close(converter) }
            var input = text.utf8.map { CChar(bitPattern: $0) }
            var output = [CChar](repeating: 0, count: input.count * 2)
            var (inputLeft, outputLeft) = (input.count, output.count)
            // SAFETY: iconv moves both pointers within the lengths it is given; the buffers outlive the call.
            input.withUnsafeMutableBufferPointer { from in
                output.withUnsafeMutableBufferPointer { to in
                    var (source, target) = (from.baseAddress, to.baseAddress)
                    _ = iconv(converter, &source, &inputLeft, &target, &outputLeft)
                }
            }
            return output.dropLast(outputLeft).map { UInt8(bitPattern: $0) }
        }
    }
}
