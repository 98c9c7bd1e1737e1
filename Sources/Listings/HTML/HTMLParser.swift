import CXML

/// libxml2's HTML push parser: bytes in, the events of `HTMLListingReader` out. Never builds a tree.
///
/// The page is given to libxml2 as UTF-8 whatever its charset is, with every byte that is not ASCII written as one of
/// the private-use characters U+F700...U+F7FF. So every byte of an attribute comes back exactly as served, a character
/// reference can still be told from a byte, and no conversion can fail. `HTMLListingReader` decodes names afterwards.
final class HTMLParser {
    private var reader: HTMLListingReader
    /// An attribute or text with its bytes as served again; kept for its memory.
    private var scratch: [UInt8] = []
    private var depth = 0
    private var isTooLarge = false

    /// Bytes given to libxml2 at a time. Limits are looked at between two pieces.
    private static let pieceSize = 16384
    /// The longest tag. Looking for an attribute twice makes libxml2 compare each with all before it.
    private static let maximumTagLength = 65536
    private static let maximumAttributes = 100
    /// Open elements. libxml2 may look through all of them at each end tag.
    private static let maximumDepth = 1000

    init(reader: HTMLListingReader) { self.reader = reader }

    /// Reads the whole page, or as much of one as is given.
    func parse(_ body: [UInt8]) throws(ListingError) -> HTMLListingReader {
        Self.initialiseLibrary
        var handler = Self.handler
        // SAFETY: the context lives until the deferred free; libxml2 keeps a copy of the handler, and `self`, which the
        // callbacks get unretained, outlives the context because this method holds it.
        let context = htmlCreatePushParserCtxt(
            &handler, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil, XML_CHAR_ENCODING_UTF8)
        guard let context else { throw .malformed("out of memory") }
        defer { htmlFreeParserCtxt(context) }
        // RECOVER also makes a script end at "</script" only; IGNORE_ENC keeps <meta charset> from switching.
        htmlCtxtUseOptions(
            context,
            Int32(HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue))

        let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body[3...] : body[...]
        var position = text.startIndex
        while position < text.endIndex {
            let end = min(position + Self.pieceSize, text.endIndex)
            feed(text[position..<end], to: context)
            position = end
            if isTooLarge || reader.isTooLarge || Self.hasLongTag(context) { throw .tooLarge }
        }
        htmlParseChunk(context, nil, 0, 1)
        if isTooLarge || reader.isTooLarge { throw .tooLarge }
        reader.finish()
        return reader
    }

    private func feed(_ piece: ArraySlice<UInt8>, to context: htmlParserCtxtPtr) {
        let isPlain = piece.allSatisfy { $0 < 0x80 && $0 != 0 }
        let bytes = isPlain ? piece : PrivateUseBytes.encoded(piece)[...]
        bytes.withUnsafeBytes { buffer in
            // SAFETY: libxml2 copies what it is given.
            _ = htmlParseChunk(
                context, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), 0)
        }
    }

    /// Whether the parser waits for the end of a tag that is too long.
    private static func hasLongTag(_ context: htmlParserCtxtPtr) -> Bool {
        // SAFETY: `input` and its pointers belong to the context and are valid between two calls; cur <= end.
        guard let input = context.pointee.input, let current = input.pointee.cur, let end = input.pointee.end else {
            return false
        }
        return end - current > maximumTagLength && current[0] == UInt8(ascii: "<")
            && (0x61...0x7A).contains(current[1] | 0x20)
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
        depth += 1
        if depth > Self.maximumDepth || Self.isCrowded(attributes) { isTooLarge = true }
        guard !isTooLarge else { return }
        let element = HTMLElement.named(name)
        reader.start(element)
        switch element {
        case .a, .area: withValue(of: "href", in: attributes) { reader.link($0) }
        case .base: withValue(of: "href", in: attributes) { reader.base($0) }
        case .input: withValue(of: "type", in: attributes) { reader.input(type: $0) }
        case .meta:
            withValue(of: "charset", in: attributes) { reader.declare(charset: $0) }
            withValue(of: "content", in: attributes) { reader.declare(contentType: $0) }
        default: break
        }
    }

    private func end(_ name: UnsafePointer<xmlChar>) {
        depth -= 1
        if !isTooLarge { reader.end(HTMLElement.named(name)) }
    }

    private func text(_ text: UnsafePointer<xmlChar>, _ length: Int32) {
        if !isTooLarge { withServedBytes(text, Int(length)) { reader.text($0) } }
    }

    // SAFETY: what libxml2 gives as attributes: pairs of name and value, then a null name; a value may be null.
    private typealias Attributes = UnsafeMutablePointer<UnsafePointer<xmlChar>?>

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

    /// SAX1 callbacks; libxml2's messages go nowhere. No function for `cdataBlock`'s text (scripts, styles) but one that
    /// ignores it: without any it would come as `characters`.
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
        handler.cdataBlock = { _, _, _ in }
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
