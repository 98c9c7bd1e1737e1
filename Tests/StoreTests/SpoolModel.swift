import SeededRandom

@testable import Store

/// What a spool holds after a number of steps that only depend on the seed: each is one commit.
struct SpoolModel {
    private var random: SplitMix
    private(set) var rows: [Int64: JournalRow] = [:]
    private(set) var receipts: [ReceiptRow] = []
    private(set) var highest: Int64 = 0
    private(set) var steps = 0

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    /// A step and the change of a spooled file that goes before it.
    struct Step {
        var changes: [JournalChange]
        /// The file that has to be made, or written to.
        var made: Int64?
        var written: Int64?
    }

    mutating func next() -> Step {
        steps += 1
        let choice = Int.random(in: 0..<10, using: &random)
        let chosen = rows.keys.sorted().randomElement(using: &random)
        guard choice >= 4, let chosen, var row = rows[chosen] else {
            highest += 1
            let row = JournalRow(
                id: highest, parent: 0, name: "name \(highest)", state: 1,
                words: String(repeating: "w", count: Int.random(in: 0..<3000, using: &random)))
            rows[highest] = row
            return Step(changes: [.put(row)], made: highest)
        }
        if choice < 7 {
            row.version += 1
            row.size += 100
            rows[chosen] = row
            return Step(changes: [.put(row)], written: chosen)
        }
        rows[chosen] = nil
        let receipt = ReceiptRow(id: Int64(steps), folder: "", name: row.name, text: row.words, time: Int64(steps))
        receipts = Array((receipts + [receipt]).suffix(UploadJournal.receiptLimit))
        return Step(changes: [.remove(chosen), .addReceipt(receipt)])
    }

    /// Does what goes before the step's commit.
    func prepare(_ step: Step, _ folder: SpoolFolder) throws -> [SpoolFile] {
        if let number = step.made {
            // A crash between this and the commit leaves the file; the same step comes again.
            folder.remove(number)
            return [try folder.create(number)]
        }
        guard let number = step.written else { return [] }
        let file = try folder.open(number)
        try file.append([UInt8](repeating: 1, count: 100))
        return [file]
    }
}
