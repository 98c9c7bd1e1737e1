import CXML
import Glibc

/// The anchors of an HTML page in order, with the text around them, by libxml2's SAX parser: no tree is ever built.
///
/// The page is given to libxml2 as ISO-8859-1 whatever it is, so that every byte of a link comes out again exactly as the
/// server wrote it: that is what has to be requested.
struct HTMLAnchors {
    struct Anchor {
        /// Raw bytes of `href`, character references resolved.
        var href: [UInt8]
        /// Text between the end of this anchor and the start of the next.
        var textAfter: [UInt8] = []
    }

    var anchors: [Anchor] = []
    /// Text before the first anchor of the body.
    var textBefore: [UInt8] = []
    var title: [UInt8] = []
    /// `<base href>`, the first.
    var base: [UInt8]?
    var hasPreformatted = false
    var hasTable = false
    var hasForm = false

    /// Text kept per anchor: a date and a size fit in far less.
    fileprivate static let maximumText = 512
    fileprivate static let maximumAnchors = 1_000_000
    fileprivate static let maximumHref = 16 * 1024

    /// - Throws: `.tooLarge` past a million links; `.malformed` if libxml2 gives up.
    init(_ page: [UInt8]) throws(ListingError) {
        let collector = Collector()
        var handler = htmlSAXHandler()
        handler.startElement = startElement
        handler.endElement = endElement
        handler.characters = characters
        handler.ignorableWhitespace = characters
        handler.cdataBlock = characters
        // SAFETY: the collector outlives the parser, which is freed before this function returns.
        let context = Unmanaged.passUnretained(collector).toOpaque()
        guard let parser = htmlCreatePushParserCtxt(&handler, context, nil, 0, nil, XML_CHAR_ENCODING_8859_1) else {
            throw .malformed("out of memory")
        }
        defer { htmlFreeParserCtxt(parser) }
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
            | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
        htmlCtxtUseOptions(parser, Int32(options))
        page.withUnsafeBytes { bytes in
            let chunk = 64 * 1024
            for start in stride(from: 0, to: bytes.count, by: chunk) where !collector.isFull {
                let part = bytes[start..<min(start + chunk, bytes.count)]
                part.withMemoryRebound(to: CChar.self) {
                    _ = htmlParseChunk(parser, $0.baseAddress, Int32($0.count), 0)
                }
            }
        }
        htmlParseChunk(parser, nil, 0, 1)
        guard !collector.isFull else { throw .tooLarge }
        self = collector.result
    }

    fileprivate init() {}
}

/// Takes libxml2's events. Used by one call of one thread.
private final class Collector {
    var result = HTMLAnchors()
    private(set) var isFull = false
    private var isInTitle = false
    private var isInAnchor = false
    private var silent = 0

    func start(_ name: UnsafePointer<xmlChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
        switch String(cString: name).lowercased() {
        case "a", "area":
            isInAnchor = true
            guard let href = Self.attribute("href", attributes), href.count <= HTMLAnchors.maximumHref else { return }
            guard result.anchors.count < HTMLAnchors.maximumAnchors else {
                isFull = true
                return
            }
            result.anchors.append(HTMLAnchors.Anchor(href: href))
        case "base":
            if result.base == nil { result.base = Self.attribute("href", attributes) }
        case "title", "h1": isInTitle = true
        case "pre": result.hasPreformatted = true
        case "table": result.hasTable = true
        case "form": result.hasForm = true
        case "script", "style": silent += 1
        // A cell or line ends a word.
        case "td", "br", "tr", "li", "div", "span", "th": text([0x20])
        default: break
        }
    }

    func end(_ name: UnsafePointer<xmlChar>) {
        switch String(cString: name).lowercased() {
        case "a", "area": isInAnchor = false
        case "title", "h1": isInTitle = false
        case "script", "style": silent = max(0, silent - 1)
        default: break
        }
    }

    func text(_ bytes: [UInt8]) {
        guard silent == 0 else { return }
        if isInTitle {
            if result.title.count < HTMLAnchors.maximumText { result.title += bytes }
            return
        }
        guard !isInAnchor else { return }
        if let last = result.anchors.indices.last {
            if result.anchors[last].textAfter.count < HTMLAnchors.maximumText {
                result.anchors[last].textAfter += bytes
            }
        } else {
            result.textBefore = (result.textBefore + bytes).suffix(HTMLAnchors.maximumText)
        }
    }

    /// The bytes the server sent: every character below U+0100 stands for one; others came from character references.
    static func bytes(_ text: UnsafePointer<xmlChar>, _ count: Int) -> [UInt8] {
        let utf8 = UnsafeBufferPointer(start: text, count: count)
        if utf8.allSatisfy({ $0 < 0x80 }) { return Array(utf8) }
        var result: [UInt8] = []
        for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
            if scalar.value < 0x100 {
                result.append(UInt8(scalar.value))
            } else {
                result.append(contentsOf: Array(String(scalar).utf8))
            }
        }
        return result
    }

    private static func attribute(
        _ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) -> [UInt8]? {
        guard var pair = attributes else { return nil }
        while let key = pair[0] {
            if let value = pair[1], String(cString: key).lowercased() == name {
                return bytes(value, strlen(UnsafeRawPointer(value).assumingMemoryBound(to: CChar.self)))
            }
            pair += 2
        }
        return nil
    }
}

// SAFETY for all three: the context is the collector of the running `HTMLAnchors.init`; pointers are read during the call.

private func collector(_ context: UnsafeMutableRawPointer?) -> Collector? {
    context.map { Unmanaged<Collector>.fromOpaque($0).takeUnretainedValue() }
}

private func startElement(
    _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<xmlChar>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
) {
    if let name { collector(context)?.start(name, attributes) }
}

private func endElement(_ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<xmlChar>?) {
    if let name { collector(context)?.end(name) }
}

private func characters(_ context: UnsafeMutableRawPointer?, _ text: UnsafePointer<xmlChar>?, _ count: Int32) {
    if let text { collector(context)?.text(Collector.bytes(text, Int(count))) }
}
