/// A table for a terminal: columns aligned by what their texts take there, two spaces apart.
struct TextTable {
    /// The widest column; a longer text is cut, so that one bad row does not spoil the table.
    static let maximumWidth = 40

    private var rows: [[Cell]] = []
    private var widths: [Int]

    private struct Cell {
        let text: String
        let width: Int

        init(_ text: String) {
            let width = DisplayWidth.of(text)
            self.text = width > maximumWidth ? DisplayWidth.cut(text, to: maximumWidth) : text
            self.width = width > maximumWidth ? DisplayWidth.of(self.text) : width
        }
    }

    init(header: [String]) {
        widths = header.map { _ in 0 }
        add(header)
    }

    /// - Parameter row: as many texts as the header has.
    mutating func add(_ row: [String]) {
        let cells = row.map(Cell.init)
        for (column, cell) in cells.enumerated() { widths[column] = max(widths[column], cell.width) }
        rows.append(cells)
    }

    /// Lines without spaces at their ends.
    func write(to text: inout String) {
        for row in rows {
            var gap = 0
            for (cell, width) in zip(row, widths) {
                if !cell.text.isEmpty {
                    if gap > 0 { text += String(repeating: " ", count: gap) }
                    text += cell.text
                    gap = 0
                }
                gap += width + 2 - cell.width
            }
            text += "\n"
        }
    }
}
