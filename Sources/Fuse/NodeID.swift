/// The kernel's handle of one node: one version of one resource. 1 is the root.
package struct NodeID: Hashable, RawRepresentable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
    package static let root = NodeID(rawValue: 1)
    /// In a readdirplus answer: "ask for this entry by LOOKUP".
    package static let none = NodeID(rawValue: 0)
}
