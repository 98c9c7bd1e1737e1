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

    // Only on a writable mount come the requests below. What they do not name is refused by the defaults.

    /// CREATE: make the file if it is not there and open it; `flags` as in open(2), so O_EXCL must be honoured. The
    /// umask is taken off `permissions` already. Answer with `reply.created(entry, file, …)`, which counts as a lookup.
    func create(parent: NodeID, name: FileName, permissions: UInt32, flags: Int32, reply: consuming Reply)
    /// MKDIR. Answer with `reply.entry(…)`.
    func makeDirectory(parent: NodeID, name: FileName, permissions: UInt32, reply: consuming Reply)
    /// UNLINK. Open files live on.
    func removeFile(parent: NodeID, name: FileName, reply: consuming Reply)
    /// RMDIR.
    func removeDirectory(parent: NodeID, name: FileName, reply: consuming Reply)
    /// RENAME; `flags` as in renameat2(2). An unknown flag must be refused with `.invalid`.
    func rename(
        parent: NodeID, name: FileName, newParent: NodeID, newName: FileName, flags: UInt32, reply: consuming Reply)
    /// MKNOD, SYMLINK and LINK: something that is neither a plain file's first name nor a folder; `parent` is the
    /// folder of the new name.
    func makeSpecial(parent: NodeID, reply: consuming Reply)
    /// SETATTR. Answer with `reply.attributes(…)`, also if nothing is to be changed.
    /// - Parameter file: the open file that the program named the node by (`ftruncate`), if the kernel says so.
    func change(node: NodeID, _ changes: AttributeChanges, file: (any OpenFile)?, reply: consuming Reply)
    /// SETXATTR; `flags` as in setxattr(2).
    func setExtendedAttribute(node: NodeID, name: String, value: [UInt8], flags: Int32, reply: consuming Reply)
    /// REMOVEXATTR.
    func removeExtendedAttribute(node: NodeID, name: String, reply: consuming Reply)
}

extension Handler {
    package func create(
        parent: NodeID, name: FileName, permissions: UInt32, flags: Int32, reply: consuming Reply
    ) { reply.fail(.readOnly) }

    package func makeDirectory(parent: NodeID, name: FileName, permissions: UInt32, reply: consuming Reply) {
        reply.fail(.readOnly)
    }

    package func removeFile(parent: NodeID, name: FileName, reply: consuming Reply) { reply.fail(.readOnly) }

    package func removeDirectory(parent: NodeID, name: FileName, reply: consuming Reply) { reply.fail(.readOnly) }

    package func rename(
        parent: NodeID, name: FileName, newParent: NodeID, newName: FileName, flags: UInt32, reply: consuming Reply
    ) { reply.fail(.readOnly) }

    package func makeSpecial(parent: NodeID, reply: consuming Reply) { reply.fail(.readOnly) }

    package func change(
        node: NodeID, _ changes: AttributeChanges, file: (any OpenFile)?, reply: consuming Reply
    ) { reply.fail(.readOnly) }

    // Programs that copy extended attributes go on without a word after this error only.

    package func setExtendedAttribute(
        node: NodeID, name: String, value: [UInt8], flags: Int32, reply: consuming Reply
    ) { reply.fail(.notSupported) }

    package func removeExtendedAttribute(node: NodeID, name: String, reply: consuming Reply) {
        reply.fail(.notSupported)
    }
}
