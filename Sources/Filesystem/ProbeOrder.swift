/// Sees that the sizes of a directory's entries are asked for one after another, as `ls -l` does, so that the next ones
/// can be asked for ahead. Pure.
struct ProbeOrder: Sendable {
    /// Rows asked ahead at a time; doubles up to what a host's connections keep busy anyway.
    private static let firstWindow = 8
    private static let maximumWindow = 64

    private var last: Int?
    private var aheadUntil = 0
    private var window = 0

    /// Whether rows are being asked for one after another.
    var isActive: Bool { window > 0 }

    /// Whether row `index` comes next and was given out, so that whoever looks it up by name is still in order. The kernel
    /// does not ask for attributes that come with a name.
    func isAhead(_ index: Int) -> Bool {
        guard let last else { return false }
        return last < index && index < aheadUntil
    }

    /// Row `index` was asked for.
    /// - Parameter isInexact: whether a row still needs a probe; rows with exact sizes in between do not break the order,
    ///   and neither do rows given out, which the kernel may know meanwhile.
    /// - Returns: rows to ask ahead now; empty at the first one and after a jump, so that a single `stat` costs one request.
    mutating func next(after index: Int, count: Int, isInexact: (Int) -> Bool) -> Range<Int> {
        // The same one once more, for example for its extended attributes: the order goes on behind it.
        if index == last { return index..<index }
        defer { last = index }
        guard let last, index > last, aheadUntil >= index || !(aheadUntil..<index).contains(where: isInexact) else {
            window = 0
            aheadUntil = index + 1
            return index..<index
        }
        window = window == 0 ? Self.firstWindow : min(window * 2, Self.maximumWindow)
        let start = max(aheadUntil, index + 1)
        let end = min(index + 1 + window, count)
        guard start < end else { return index..<index }
        aheadUntil = end
        return start..<end
    }
}
