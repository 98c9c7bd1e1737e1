/// What `stat` shows of a node.
package struct Attributes: Hashable, Sendable {
    package enum Kind: Sendable {
        case file, directory
        /// Only for an entry of a directory: its `d_type` is DT_UNKNOWN, and the kernel asks by LOOKUP.
        case undecided
    }

    package var kind: Kind
    /// `st_ino`
    package var inode: UInt64
    /// Bytes.
    package var size: Int64 = 0
    /// Permission bits, without the type; set-ID bits are not shown.
    package var permissions: UInt32
    package var linkCount: UInt32 = 1
    package var user: UInt32 = 0
    package var group: UInt32 = 0
    /// Seconds since 1970, for mtime, ctime and atime alike.
    package var modified: Int64 = 0
    /// The part of `modified` below a second, 0 ..< 1 000 000 000; programs that copy times compare it.
    package var modifiedNanoseconds: Int64 = 0
    /// `st_blksize`
    package var blockSize: UInt32 = 128 * 1024

    package init(kind: Kind, inode: UInt64, permissions: UInt32) {
        self.kind = kind
        self.inode = inode
        self.permissions = permissions
    }
}

/// A node as LOOKUP and READDIRPLUS answer it.
package struct Entry: Sendable {
    package var node: NodeID
    package var attributes: Attributes
    /// How long the kernel may believe the attributes without asking.
    package var attributeTimeout: Duration
    /// How long the kernel may believe that the name leads to this node.
    package var entryTimeout: Duration

    package init(node: NodeID, attributes: Attributes, attributeTimeout: Duration, entryTimeout: Duration) {
        self.node = node
        self.attributes = attributes
        self.attributeTimeout = attributeTimeout
        self.entryTimeout = entryTimeout
    }
}

/// What `statfs` shows.
package struct FilesystemStatistics: Sendable {
    package var blockSize: UInt64 = 4096
    package var blocks: UInt64 = 0
    package var freeBlocks: UInt64 = 0
    package var files: UInt64 = 0
    package var freeFiles: UInt64 = 0
    package init() {}
}
