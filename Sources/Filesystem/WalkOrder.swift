import Platform

/// Sees that the directories of a directory are opened one after another, as `find`, `du` and `tree` do, so that the next
/// ones can be listed ahead. Pure.
struct WalkOrder: Sendable {
    /// Directories listed ahead at a time; doubles with every one that is opened, up to what keeps a host's connections
    /// busy however fast the walk goes on.
    private static let firstWindow = 8
    private static let maximumWindow = 64
    /// Between two directories a program does what it came for; a person clicks more slowly.
    private static let patience = Duration.seconds(3)

    /// The directory opened last.
    private var last: (row: Int, at: Instant)?
    /// Rows that were given out and not yet reached.
    private var ahead: [Int] = []
    /// Rows before this one were given out or passed.
    private var scannedUntil = 0
    private var window = 0

    /// Whether a program is walking here.
    var isWalk: Bool { window > 0 }

    /// The directory in row `row` was opened.
    /// - Returns: rows of directories to list now; empty at the first one, after a jump and after a while, so that whoever
    ///   looks into one directory causes one request.
    mutating func next(after row: Int, count: Int, now: Instant, isDirectory: (Int) -> Bool) -> [Int] {
        defer { last = (row, now) }
        guard let last, row > last.row, now - last.at < Self.patience,
            !(last.row + 1..<row).contains(where: isDirectory)
        else {
            // Opened once more, for example by a program that reads attributes in a second pass: goes on as before.
            if let last, row == last.row { return [] }
            (ahead, scannedUntil, window) = ([], row + 1, 0)
            return []
        }
        window = window == 0 ? Self.firstWindow : min(window * 2, Self.maximumWindow)
        ahead.removeAll { $0 <= row }
        return fill(from: row + 1, count: count, isDirectory: isDirectory)
    }

    /// The directory itself was reached by a walk: its directories are next.
    mutating func begin(count: Int, isDirectory: (Int) -> Bool) -> [Int] {
        guard last == nil, window == 0 else { return [] }
        window = Self.firstWindow
        return fill(from: 0, count: count, isDirectory: isDirectory)
    }

    private mutating func fill(from start: Int, count: Int, isDirectory: (Int) -> Bool) -> [Int] {
        var new: [Int] = []
        scannedUntil = max(scannedUntil, start)
        while ahead.count < window, scannedUntil < count {
            if isDirectory(scannedUntil) {
                ahead.append(scannedUntil)
                new.append(scannedUntil)
            }
            scannedUntil += 1
        }
        return new
    }
}
