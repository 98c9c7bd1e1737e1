import CXML

/// libxml2's HTML parser with SAX events: a page in, calls of an `HTMLListingReader` out. Never builds a tree.
///
/// libxml2 asks for the page piece by piece. (Its push parser, version 2.9.14, loses its place where a piece ends within
/// quotes, and then parses nothing before the end.) The page is given as UTF-8 whatever its charset is, with every byte
/// that is not ASCII written as one of the private-use characters U+F700...U+F7FF. So every byte of an attribute comes
/// back exactly as served, a character reference can still be told from a byte, and no conversion can fail.
final class HTMLParser {
    private var reader: HTMLListingReader
    private var unread: ArraySlice<UInt8>
    /// A piece in private-use characters, as far as libxml2 did not take it yet.
    private var encoded: ArraySlice<UInt8> = []
    /// Bytes libxml2 took since its last event.
    private var silence = 0
    private var depth = 0
    private var isTooLarge = false
    /// An attribute or text with its bytes as served again; kept for its memory.
    private var scratch: [UInt8] = []

    /// The longest tag or comment. libxml2 compares each attribute of a tag with all before it.
    private static let maximumSilence = 131_072
    private static let maximumAttributes = 100
    /// Open elements. libxml2 may look through all of them at each end tag.
    private static let maximumDepth = 1000

    private init(_ body: [UInt8], _ reader: HTMLListingReader) {
        unread = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body[3...] : body[...]
        self.reader = reader
    }

    /// Reads the whole page, or as much of one as is given.
    /// - Returns: the reader after the last event.
    static func parse(_ body: [UInt8], _ reader: HTMLListingReader) throws(ListingError) -> HTMLListingReader {
        let parser = HTMLParser(body, reader)
        try parser.run()
        if parser.mustStop { throw .tooLarge }
        parser.reader.finish()
        return parser.reader
    }

    private var mustStop: Bool { isTooLarge || reader.isTooLarge }

    private func run() throws(ListingError) {
        Self.initialiseLibrary
        guard let context = htmlNewParserCtxt() else { throw .malformed("out of memory") }
        defer { htmlFreeParserCtxt(context) }
        // SAFETY: libxml2 calls back only within htmlParseDocument, while this method holds `self`, unretained there. The
        // context owns its handler and, once pushed, the input with its buffer.
        let user = Unmanaged.passUnretained(self).toOpaque()
        context.pointee.sax.pointee = Self.handler
        context.pointee.userData = user
        // RECOVER also makes a script end at "</script" only; IGNORE_ENC keeps <meta charset> from switching.
        htmlCtxtUseOptions(
            context,
            Int32(HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue))
        let buffer = xmlParserInputBufferCreateIO(
            { user, target, length in user.map { HTMLParser.from($0).read(target, length) } ?? -1 }, nil, user,
            XML_CHAR_ENCODING_NONE)
        guard let buffer, let input = xmlNewIOInputStream(context, buffer, XML_CHAR_ENCODING_NONE) else {
            throw .malformed("out of memory")
        }
        guard inputPush(context, input) >= 0 else { throw .malformed("out of memory") }
        context.pointee.charset = Int32(XML_CHAR_ENCODING_UTF8.rawValue)
        htmlParseDocument(context)
    }

    /// Gives libxml2 the next bytes; none once a limit is passed.
    private func read(_ target: UnsafeMutablePointer<CChar>?, _ length: Int32) -> Int32 {
        guard let target, length > 0, !mustStop else { return 0 }
        if silence > Self.maximumSilence {
            isTooLarge = true
            return 0
        }
        if encoded.isEmpty {
            let piece = unread.prefix(Int(length))
            unread = unread.dropFirst(piece.count)
            encoded = PrivateUseBytes.isPlain(piece) ? piece : PrivateUseBytes.encoded(piece)[...]
        }
        let taken = encoded.prefix(Int(length))
        encoded = encoded.dropFirst(taken.count)
        silence += taken.count
        // SAFETY: libxml2 gives `length` writable bytes; `taken` is not longer.
        UnsafeMutableRawBufferPointer(start: target, count: Int(length)).copyBytes(from: taken)
        return Int32(taken.count)
    }

    /// The text of a C string, its bytes as served.
    private func withServedBytes(_ text: UnsafePointer<xmlChar>, _ length: Int, _ body: (Span<UInt8>) -> Void) {
        // SAFETY: libxml2 gives `length` readable bytes that stay unchanged during the callback.
        let span = Span(_unsafeStart: text, count: length)
        guard PrivateUseBytes.decode(span, into: &scratch) else { return body(span) }
        let served = scratch
        body(served.span)
    }

    private func start(_ name: UnsafePointer<xmlChar>, _ attributes: Attributes?) {
        silence = 0
        depth += 1
        if depth > Self.maximumDepth || Self.isCrowded(attributes) { isTooLarge = true }
        guard !isTooLarge else { return }
        let element = HTMLElement.named(name)
        reader.start(element)
        switch element {
        case .a, .area, .link:
            var isNextPage = false
            withValue(of: "rel", in: attributes) { isNextPage = reader.isNextPage(relation: $0) }
            withValue(of: "href", in: attributes) {
                if isNextPage { reader.nextPage($0) } else if element != .link { reader.link($0) }
            }
        case .td: for name in Self.sortKeys { withValue(of: name, in: attributes) { reader.sortKey($0) } }
        case .time: withValue(of: "datetime", in: attributes) { reader.date($0) }
        case .base: withValue(of: "href", in: attributes) { reader.base($0) }
        case .input: withValue(of: "type", in: attributes) { reader.input(type: $0) }
        case .meta:
            withValue(of: "charset", in: attributes) { reader.declare(charset: $0) }
            withValue(of: "content", in: attributes) { reader.declare(contentType: $0) }
        default: break
        }
    }

    private func end(_ name: UnsafePointer<xmlChar>) {
        silence = 0
        depth -= 1
        if !isTooLarge { reader.end(HTMLElement.named(name)) }
    }

    private func text(_ text: UnsafePointer<xmlChar>, _ length: Int32) {
        silence = 0
        if !isTooLarge { withServedBytes(text, Int(length)) { reader.text($0) } }
    }

    // SAFETY: what libxml2 gives as attributes: pairs of name and value, then a null name; a value may be null.
    private typealias Attributes = UnsafeMutablePointer<UnsafePointer<xmlChar>?>

    /// Attributes that hold what scripts sort a table by; Caddy and rclone use the first.
    private static let sortKeys: [StaticString] = [
        "data-order", "data-sort", "data-sort-value", "data-value", "data-size",
    ]

    private static func isCrowded(_ attributes: Attributes?) -> Bool {
        guard let attributes else { return false }
        var count = 0
        while count <= maximumAttributes, attributes[count * 2] != nil { count += 1 }
        return count > maximumAttributes
    }

    /// Gives the attribute's value to `body`, if the element has it.
    private func withValue(of name: StaticString, in attributes: Attributes?, _ body: (Span<UInt8>) -> Void) {
        guard var attribute = attributes else { return }
        while let key = attribute[0] {
            if let value = attribute[1], xmlStrEqual(key, name.utf8Start) == 1 {
                withServedBytes(value, Int(xmlStrlen(value)), body)
                return
            }
            attribute += 2
        }
    }

    private static let initialiseLibrary: Void = xmlInitParser()

    /// SAX1 callbacks; libxml2's messages go nowhere. Scripts and styles come as `cdataBlock`, which ignores them: without
    /// that function they would come as `characters`.
    private static var handler: htmlSAXHandler {
        var handler = htmlSAXHandler()
        handler.initialized = 1
        handler.startElement = { user, name, attributes in
            guard let user, let name else { return }
            HTMLParser.from(user).start(name, attributes)
        }
        handler.endElement = { user, name in
            guard let user, let name else { return }
            HTMLParser.from(user).end(name)
        }
        handler.characters = { user, text, length in
            guard let user, let text else { return }
            HTMLParser.from(user).text(text, length)
        }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = { user, _, _ in
            if let user { HTMLParser.from(user).silence = 0 }
        }
        return handler
    }

    private static func from(_ user: UnsafeMutableRawPointer) -> HTMLParser {
        // SAFETY: `parse` passed a living HTMLParser as user data and does not return before the last callback.
        Unmanaged<HTMLParser>.fromOpaque(user).takeUnretainedValue()
    }
}

extension HTMLElement {
    /// - Parameter name: NUL-terminated, in lower case, as libxml2 gives it.
    fileprivate static func named(_ name: UnsafePointer<xmlChar>) -> HTMLElement {
        // SAFETY: reads up to the NUL and not past the eighth byte.
        var key: UInt64 = 0
        var length = 0
        while length < 8, name[length] != 0 {
            key = key << 8 | UInt64(name[length])
            length += 1
        }
        return byKey[key] ?? .other
    }

    private static let byKey = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.rawValue.utf8.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }, $0) })
}
