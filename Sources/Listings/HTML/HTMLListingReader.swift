import HTTP

/// Makes a `Listing` of the events of an HTML page.
///
/// A page is taken as rows: a row ends at `<br>`, `<li>`, `<tr>` and the like and, outside of table rows, at the end of a
/// line. Only links make names. Size and date of a row's entry stand in the text behind its link or, as IIS writes it,
/// before it. A row that links to two entries tells the size of neither.
struct HTMLListingReader {
    private(set) var listing: Listing
    private(set) var signs = PageSigns()
    /// Where the listing goes on.
    private(set) var next: HTTPURL?

    private var resolver: LinkResolver
    private var decoder: CharsetDecoder?
    private var hasCharset: Bool

    private var isInLink = false
    private var isInTableRow = false
    private var isPreformatted = false
    private var row = Row()
    private var sizeColumn = SizeColumn()
    private var trust = Trust()

    /// What is known of the row being read.
    private struct Row {
        /// Its entry in the listing.
        var entry: Int?
        var hasSeveralEntries = false
        var textBefore: [UInt8] = []
        var textAfter: [UInt8] = []
        /// What `<time datetime>` says.
        var date: Int64?
        /// It links to the directory itself or to one above, without a slash.
        var isSlashlessDirectory = false

        mutating func clear() {
            entry = nil
            hasSeveralEntries = false
            textBefore.removeAll(keepingCapacity: true)
            textAfter.removeAll(keepingCapacity: true)
            date = nil
            isSlashlessDirectory = false
        }

        /// Longer than any columns, blanks counted once.
        static let maximumText = 256
    }

    /// What tells that sizes and dates mean nothing, or that a link without a slash may be a directory's.
    private struct Trust {
        var hasZero = false
        var hasOther = false
        var hasEpoch = false
        var hasDate = false
        /// A directory is linked to without a slash and has a size.
        var hasSizeOfDirectory = false
        var hasDirectory = false

        /// All sizes are 0 and all dates 1970, or directories look like files.
        var isBroken: Bool { hasZero && !hasOther && hasEpoch && !hasDate || hasSizeOfDirectory && !hasDirectory }
    }

    /// - Parameter charset: as the Content-Type header names it; nil: the page may name one.
    init(url: HTTPURL, charset: String?, allowsExternalLinks: Bool) {
        resolver = LinkResolver(url: url, allowsExternalLinks: allowsExternalLinks)
        listing = Listing(base: resolver.directoryPath)
        hasCharset = charset != nil
        decoder = charset.flatMap { CharsetDecoder(charset: $0) }
    }

    var isTooLarge: Bool { listing.isTooLarge }

    mutating func start(_ element: HTMLElement) {
        signs.start(element)
        switch element {
        case .a: isInLink = true
        case .tr:
            endRow()
            sizeColumn.startRow()
            isInTableRow = true
        case .td, .th:
            sizeColumn.startCell(isHead: element == .th)
            append(UInt8(ascii: " "))
        case .table:
            if !isInTableRow { endRow() }
            sizeColumn.startTable()
        case .pre:
            if !isInTableRow { endRow() }
            isPreformatted = true
        case .br, .hr, .li, .p, .ul, .ol, .dt, .dd, .h1, .h2: if !isInTableRow { endRow() }
        default: break
        }
    }

    mutating func end(_ element: HTMLElement) {
        signs.end(element)
        switch element {
        case .a: isInLink = false
        case .tr, .table:
            endRow()
            isInTableRow = false
        case .pre:
            if !isInTableRow { endRow() }
            isPreformatted = false
        case .li: if !isInTableRow { endRow() }
        default: break
        }
    }

    mutating func text(_ text: Span<UInt8>) {
        signs.text(text)
        sizeColumn.text(text)
        if isInLink { return }
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: "\n"), !isInTableRow { endRow() } else { append(byte) }
        }
    }

    mutating func sortKey(_ text: Span<UInt8>) { sizeColumn.sortKey(text) }

    mutating func date(_ text: Span<UInt8>) { row.date = row.date ?? ListingDate.seconds(text.bytes) }

    mutating func input(type: Span<UInt8>) { signs.input(type: type) }

    mutating func base(_ text: Span<UInt8>) { resolver.setBase(text) }

    mutating func declare(charset: Span<UInt8>) { use(charset: String(decoding: charset.bytes, as: UTF8.self)) }

    mutating func declare(contentType: Span<UInt8>) {
        let text = String(decoding: contentType.bytes, as: UTF8.self).lowercased()
        if let mark = text.firstRange(of: "charset=") { use(charset: String(text[mark.upperBound...])) }
    }

    mutating func link(_ reference: Span<UInt8>) {
        if signs.isInTitle { return }
        let target = resolver.resolve(reference)
        if target == .ancestor { signs.ancestorLink() }
        if target == .ancestor || target == .itself,
            reference.isEmpty || reference[reference.count - 1] != UInt8(ascii: "/")
        {
            row.isSlashlessDirectory = true
        }
        guard case .entry(let isDirectory) = target else { return }
        if isDirectory { trust.hasDirectory = true }
        let name = decoder.flatMap { Self.isText(resolver.name) ? nil : $0.decode(resolver.name) } ?? resolver.name
        let kind: ListingEntry.Kind = isDirectory ? .directory : .file
        guard let entry = listing.insert(name: name, reference: resolver.reference, kind: kind) else { return }
        if row.entry != nil, row.entry != entry { row.hasSeveralEntries = true }
        row.entry = entry
        row.textAfter.removeAll(keepingCapacity: true)
    }

    /// Whether a `rel` attribute says that its link leads to the following page.
    func isNextPage(relation: Span<UInt8>) -> Bool {
        String(decoding: relation.bytes, as: UTF8.self).lowercased().split { $0.isWhitespace }.contains("next")
    }

    mutating func nextPage(_ reference: Span<UInt8>) { next = next ?? resolver.page(reference) }

    /// The end of the page.
    mutating func finish() {
        endRow()
        if trust.isBroken { listing.distrustFiles() }
        listing.trim()
    }

    private mutating func append(_ byte: UInt8) {
        if row.entry == nil {
            Self.append(byte, to: &row.textBefore)
        } else {
            Self.append(byte, to: &row.textAfter)
        }
    }

    private static func append(_ byte: UInt8, to text: inout [UInt8]) {
        if WordReader.isBlank(byte) {
            if let last = text.last, last != 0x20, text.count < Row.maximumText { text.append(0x20) }
        } else if text.count < Row.maximumText {
            text.append(byte)
        }
    }

    private mutating func endRow() {
        if let entry = row.entry, !row.hasSeveralEntries {
            let columns = EntryColumns(row.textAfter) ?? EntryColumns(row.textBefore)
            let size = sizeColumn.size ?? columns?.size ?? sizeAlone ?? .unknown
            let modified = row.date ?? columns?.modified
            listing.merge(size: size, modified: modified, into: entry)
            switch size {
            case .exact(0): trust.hasZero = true
            case .exact, .approximate: trust.hasOther = true
            case .unknown: break
            }
            if columns?.isEpoch == true { trust.hasEpoch = true }
            if modified != nil { trust.hasDate = true }
        } else if row.isSlashlessDirectory, row.entry == nil, case .exact(1...) = EntryColumns(row.textBefore)?.size {
            trust.hasSizeOfDirectory = true
        }
        row.clear()
    }

    /// A number that is all that stands behind a link of preformatted text (darkhttpd); elsewhere it may be anything's.
    private var sizeAlone: ListingEntry.Size? {
        var words = WordReader(row.textAfter)
        guard isPreformatted, let word = words.next(), words.peek() == nil else { return nil }
        return SizeReader.integer(word).map { .exact($0) }
    }

    /// The first declaration counts; the header's before the page's.
    private mutating func use(charset: String) {
        guard !hasCharset else { return }
        hasCharset = true
        decoder = CharsetDecoder(charset: String(charset.prefix { $0 != ";" && $0 != "\"" && $0 != "'" && $0 != " " }))
    }

    private static func isText(_ name: [UInt8]) -> Bool { String(validating: name, as: UTF8.self) != nil }
}

extension Span<UInt8> {
    /// A copy.
    var bytes: [UInt8] { indices.map { self[$0] } }
}
