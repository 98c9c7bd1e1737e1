import Fuse
import Platform

/// A part of the tree with rules of its own (a drop folder, the flights): a handler whose nodes lie in a range of their
/// own, so that `MountTree` knows by the number alone whom a request is for.
protocol Branch: Handler {
    /// What stands in the root of the mount for it. It lives as long as the mount; no lookup of it is counted.
    var rootEntry: Entry { get }
    /// Ends what runs. Called once, after the session; may block for as long as local disks need.
    func shutdown()
}

/// The node ids of branch number `index`: 2^62 upwards, which no file source reaches.
struct BranchNodes: Sendable {
    private static let mark: UInt64 = 1 << 62
    private static let shift: UInt64 = 56
    /// Between `shift` and `mark`.
    static let maximumCount = 64
    /// Below `maximumCount`.
    let index: Int

    /// - Parameter number: below 2^56.
    func node(_ number: Int64) -> NodeID {
        NodeID(rawValue: Self.mark | UInt64(index) << Self.shift | UInt64(bitPattern: number) & Self.numbers)
    }

    func number(_ node: NodeID) -> Int64 { Int64(node.rawValue & Self.numbers) }

    /// nil for a node of no branch.
    static func index(of node: NodeID) -> Int? {
        guard node.rawValue & mark != 0 else { return nil }
        return Int((node.rawValue & (mark - 1)) >> shift)
    }

    private static let numbers: UInt64 = (1 << shift) - 1
}
