package import Platform

/// The file system behind a `Session`. Methods come from FUSE workers, several at once, and run to completion:
/// answer at once or park the reply; never wait for the network.
package protocol Handler: AnyObject, Sendable {
    /// LOOKUP. An answer that names a node raises that node's lookup count by one.
    func lookup(parent: NodeID, name: FileName, reply: consuming Reply)
    /// The kernel forgets `count` earlier answers that named `node`. Also called by the bridge for an answer that the
    /// kernel refused, because no FORGET follows such an answer.
    func forget(node: NodeID, count: UInt64)
    /// GETATTR.
    func attributes(node: NodeID, reply: consuming Reply)
    /// OPEN; `flags` as in open(2). Answer with `reply.opened(file, …)`.
    func open(node: NodeID, flags: Int32, reply: consuming Reply)
    /// OPENDIR. Answer with `reply.openedDirectory(directory, …)`.
    func openDirectory(node: NodeID, reply: consuming Reply)
    /// STATFS. Answer with `reply.statistics(…)`.
    func statistics(node: NodeID, reply: consuming Reply)
    /// GETXATTR; `room` in bytes. `reply.extendedAttribute(value, room:)` does the size protocol.
    func extendedAttribute(node: NodeID, name: String, room: Int, reply: consuming Reply)
    /// LISTXATTR; the value is every name followed by a zero byte, answered with `reply.extendedAttribute(value,
    /// room:)`.
    func extendedAttributeNames(node: NodeID, room: Int, reply: consuming Reply)
}
