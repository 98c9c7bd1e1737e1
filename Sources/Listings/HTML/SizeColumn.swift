/// The column of a table whose head says that it holds sizes, and its cell in the row being read.
struct SizeColumn {
    /// From 0; nil: no head said so.
    private var column: Int?
    private var current = -1
    private var isHead = false
    private var head: [UInt8] = []
    private var cell: [UInt8]?
    /// The number to sort the rows by, which servers put beside a rounded size.
    private var sortKey: Int64?

    private static let names = ["size", "file size", "filesize", "bytes"]
    /// Bytes kept of a cell.
    private static let maximumText = 64

    mutating func startTable() { self = SizeColumn() }

    mutating func startRow() {
        endHead()
        current = -1
        cell = nil
        sortKey = nil
    }

    mutating func startCell(isHead: Bool) {
        endHead()
        current += 1
        self.isHead = isHead
        if current == column, !isHead { cell = [] }
    }

    mutating func sortKey(_ text: Span<UInt8>) {
        if current == column, sortKey == nil { sortKey = SizeReader.integer(text.bytes[...]) }
    }

    mutating func text(_ text: Span<UInt8>) {
        if isHead {
            Self.append(text, to: &head)
        } else if current == column, var cell {
            self.cell = nil
            Self.append(text, to: &cell)
            self.cell = cell
        }
    }

    /// What the row's cell says; nil if there is no such column or the row has no cell there.
    var size: ListingEntry.Size? {
        guard let cell else { return nil }
        let shown = SizeReader.size(cell)
        guard case .approximate(let rounded) = shown, let sortKey else { return shown }
        // A key that is something else than bytes is far from them.
        return (rounded / 2...rounded * 2 + 1024).contains(sortKey) ? .exact(sortKey) : shown
    }

    private mutating func endHead() {
        guard isHead else { return }
        isHead = false
        let text = String(decoding: head, as: UTF8.self).lowercased()
        head = []
        let isLetter = { (character: Character) in character.isLetter }
        guard let start = text.firstIndex(where: isLetter), let end = text.lastIndex(where: isLetter) else { return }
        if Self.names.contains(String(text[start...end])) { column = current }
    }

    private static func append(_ text: Span<UInt8>, to collected: inout [UInt8]) {
        for index in text.indices where collected.count < maximumText { collected.append(text[index]) }
    }
}
