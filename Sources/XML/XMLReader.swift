import CXML

/// Reads a foreign XML document from front to back, safely: no document type, no entity but the five of XML, nothing from
/// disk or network, bounded in size and depth. Over libxml2's text reader; never builds a tree of the whole document.
///
/// Driven by path, not by order: ask for the children of an element one after another; what is not asked for is skipped.
/// ```swift
/// let reader = try XMLReader(body)
/// let root = try reader.root()
/// guard reader.isNamed("multistatus", in: "DAV:") else { ... }
/// while let response = try reader.nextChild(of: root) {
///     guard reader.isNamed("response", in: "DAV:") else { continue }
///     while let property = try reader.nextChild(of: response) {
///         if reader.isNamed("href", in: "DAV:") { href = try reader.text(of: property) }
///     }
/// }
/// try reader.finish()
/// ```
/// **What was read counts only once `finish` has returned**: a document that was cut may be well-formed up to any point.
/// One thread at a time; not Sendable.
package final class XMLReader {
    private let document: [UInt8]
    private let limits: XMLLimits
    /// Bytes that libxml2 took.
    private var position = 0
    /// Bytes it took since it last gave a node.
    private var silence = 0
    // SAFETY: made in init and freed in deinit; used by this object's methods only, which is not Sendable.
    private var reader: xmlTextReaderPtr?
    /// Open elements; the current element is among them.
    private var depth = 0
    /// The current element has no content, and libxml2 will not report its end.
    private var isEmptyElement = false
    private var isAtElement = false
    private var wasRootClosed = false
    /// The first failure; the document stays failed.
    private var failure: XMLError?

    private enum Event { case start, text, end, finished }

    /// - Parameter document: the whole document, as received.
    package init(_ document: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLError) {
        guard document.count <= limits.size else { throw .tooLarge("over \(limits.size) bytes") }
        self.document = document
        self.limits = limits
        let encoding = try XMLEncoding.name(of: document)
        Self.initialiseLibrary
        // Errors of the conversion from other encodings belong to no reader and would go to stderr. libxml2 keeps this per
        // thread. The reader fails all the same.
        xmlSetStructuredErrorFunc(nil) { _, _ in }
        // No NOENT (entities stay unexpanded), no DTDLOAD, no HUGE (libxml2's own limits stay). NOCDATA: sections are text.
        let options =
            XML_PARSE_NONET.rawValue | XML_PARSE_NOCDATA.rawValue | XML_PARSE_COMPACT.rawValue
            | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
        // SAFETY: libxml2 calls back only within its calls, which this object makes, and is freed before it.
        let user = Unmanaged.passUnretained(self).toOpaque()
        reader = xmlReaderForIO(
            { user, target, length in user.map { XMLReader.from($0).read(target, length) } ?? -1 }, nil, user, nil,
            encoding, Int32(options))
        guard let reader else { throw .malformed("out of memory") }
        xmlTextReaderSetStructuredErrorHandler(
            reader,
            { user, error in
                if let user, let error { XMLReader.from(user).note(error.pointee) }
            }, user)
    }

    deinit { xmlFreeTextReader(reader) }

    // MARK: Going through the document

    /// The root element, which becomes the current one. To be called first, and once.
    package func root() throws(XMLError) -> XMLElement {
        while true {
            switch try advance() {
            case .start: return XMLElement(depth: depth)
            case .text: continue
            case .end, .finished: throw fail(.malformed("no root element"))
            }
        }
    }

    /// The next element directly inside `parent`, which becomes the current one. Skips what is between.
    /// - Returns: nil at the end of `parent`, and from then on.
    package func nextChild(of parent: XMLElement) throws(XMLError) -> XMLElement? {
        while depth >= parent.depth {
            switch try advance() {
            case .start where depth == parent.depth + 1: return XMLElement(depth: depth)
            case .start, .text, .end: continue
            case .finished: return nil
            }
        }
        return nil
    }

    /// The text directly inside `element`, whole: character references and CDATA sections are resolved, comments left out,
    /// white space kept. Goes on to the element's end. Text of elements inside it does not count.
    package func text(of element: XMLElement) throws(XMLError) -> String {
        var text = ""
        while depth >= element.depth {
            switch try advance() {
            case .text where depth == element.depth:
                guard let value = xmlTextReaderConstValue(reader) else { continue }
                if text.isEmpty { text = String(cString: value) } else { text += String(cString: value) }
            case .start, .text, .end: continue
            case .finished: return text
            }
        }
        return text
    }

    /// Reads to the end of the document.
    /// - Throws: unless the root was closed and nothing that is not XML follows it.
    package func finish() throws(XMLError) {
        while try advance() != .finished {}
    }

    // MARK: The current element

    /// Whether the current element, the one last given by `root` or `nextChild`, has this name.
    /// - Parameter namespace: empty for an element in no namespace; nil for any.
    package func isNamed(_ name: StaticString, in namespace: StaticString?) -> Bool {
        guard isAtElement, xmlStrEqual(xmlTextReaderConstLocalName(reader), name.utf8Start) == 1 else { return false }
        guard let namespace else { return true }
        guard let actual = xmlTextReaderConstNamespaceUri(reader) else { return namespace.utf8CodeUnitCount == 0 }
        return xmlStrEqual(actual, namespace.utf8Start) == 1
    }

    /// The current element's name without its prefix; empty when there is no current element.
    package var localName: String {
        guard isAtElement, let name = xmlTextReaderConstLocalName(reader) else { return "" }
        return String(cString: name)
    }

    /// The current element's namespace; empty when it has none.
    package var namespace: String {
        guard isAtElement, let namespace = xmlTextReaderConstNamespaceUri(reader) else { return "" }
        return String(cString: namespace)
    }

    /// An attribute of the current element.
    /// - Parameter namespace: empty for an attribute without a prefix.
    package func attribute(_ name: StaticString, in namespace: StaticString = "") -> String? {
        guard isAtElement else { return nil }
        let value =
            namespace.utf8CodeUnitCount == 0
            ? xmlTextReaderGetAttribute(reader, name.utf8Start)
            : xmlTextReaderGetAttributeNs(reader, name.utf8Start, namespace.utf8Start)
        guard let value else { return nil }
        defer { cxml_free(value) }
        return String(cString: value)
    }

    // MARK: libxml2

    private func advance() throws(XMLError) -> Event {
        if let failure { throw failure }
        if isEmptyElement {
            isEmptyElement = false
            return close()
        }
        while true {
            isAtElement = false
            let result = xmlTextReaderRead(reader)
            silence = 0
            if let failure { throw failure }
            guard result == 1 else {
                guard result == 0, wasRootClosed else { throw fail(.malformed("it ends before its root does")) }
                return .finished
            }
            switch UInt32(bitPattern: xmlTextReaderNodeType(reader)) {
            case XML_READER_TYPE_ELEMENT.rawValue: return try open()
            case XML_READER_TYPE_END_ELEMENT.rawValue: return close()
            case XML_READER_TYPE_TEXT.rawValue, XML_READER_TYPE_CDATA.rawValue, XML_READER_TYPE_WHITESPACE.rawValue,
                XML_READER_TYPE_SIGNIFICANT_WHITESPACE.rawValue:
                return .text
            case XML_READER_TYPE_COMMENT.rawValue, XML_READER_TYPE_PROCESSING_INSTRUCTION.rawValue: continue
            case XML_READER_TYPE_DOCUMENT_TYPE.rawValue: throw fail(.refused("it has a document type declaration"))
            default: throw fail(.refused("it has an entity"))
            }
        }
    }

    private func open() throws(XMLError) -> Event {
        depth += 1
        guard depth <= limits.depth else { throw fail(.tooLarge("elements deeper than \(limits.depth)")) }
        guard xmlTextReaderAttributeCount(reader) <= XMLLimits.attributes else {
            throw fail(.tooLarge("over \(XMLLimits.attributes) attributes"))
        }
        isAtElement = true
        isEmptyElement = xmlTextReaderIsEmptyElement(reader) == 1
        return .start
    }

    private func close() -> Event {
        isAtElement = false
        depth -= 1
        if depth == 0 { wasRootClosed = true }
        return .end
    }

    private func fail(_ error: XMLError) -> XMLError {
        let first = failure ?? error
        failure = first
        return first
    }

    /// Gives libxml2 the next bytes; fails once it took a whole piece without giving a node.
    private func read(_ target: UnsafeMutablePointer<CChar>?, _ length: Int32) -> Int32 {
        guard let target, length > 0 else { return 0 }
        guard silence <= XMLLimits.piece else {
            _ = fail(.tooLarge("a tag or text over \(XMLLimits.piece) bytes"))
            return -1
        }
        let taken = document[position...].prefix(Int(length))
        position += taken.count
        silence += taken.count
        // SAFETY: libxml2 gives `length` writable bytes; `taken` is not longer.
        UnsafeMutableRawBufferPointer(start: target, count: Int(length)).copyBytes(from: taken)
        return Int32(taken.count)
    }

    private func note(_ error: xmlError) {
        guard error.level == XML_ERR_ERROR || error.level == XML_ERR_FATAL else { return }
        let words = error.message.map { String(cString: $0) } ?? "error \(error.code)"
        _ = fail(.malformed("line \(error.line): \(words.split(whereSeparator: \.isNewline).joined(separator: " "))"))
    }

    private static let initialiseLibrary: Void = xmlInitParser()

    private static func from(_ user: UnsafeMutableRawPointer) -> XMLReader {
        // SAFETY: `init` passed the reader as user data; it outlives libxml2's object, and so each callback.
        Unmanaged<XMLReader>.fromOpaque(user).takeUnretainedValue()
    }
}
