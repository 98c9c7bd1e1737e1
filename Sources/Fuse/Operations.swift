import CFuse
import Glibc
import Platform
import Synchronization

extension Channel {
    /// The operations this file system has. Those left out get ENOSYS from libfuse, which the kernel remembers and
    /// turns into its own behaviour: FLUSH and FSYNC succeed, locks are local, LSEEK sees one hole at the end of the
    /// file, IOCTL is ENOTTY, SETXATTR and REMOVEXATTR are EOPNOTSUPP. What would write is EROFS on a read-only mount.
    static func operations(isWritable: Bool) -> fuse_lowlevel_ops {
        var table = fuse_lowlevel_ops()
        table.`init` = { userdata, connection in
            guard let userdata, let connection else { return }
            connection.pointee.adjust()
            // SAFETY: the user data is the `Channel` that made the session.
            let channel = Unmanaged<Channel>.fromOpaque(userdata).takeUnretainedValue()
            var missing: UInt32 = 0
            if connection.pointee.want & UInt32(bitPattern: FUSE_CAP_PARALLEL_DIROPS) != 0 {
                missing |= UInt32(FUSE_PARALLEL_DIROPS)
            }
            // libfuse does not know it, and kernels that do not either ignore it.
            if channel.isWritable { missing |= UInt32(FUSE_HANDLE_KILLPRIV_V2) }
            channel.missingInitFlags.store(missing, ordering: .relaxed)
        }
        table.lookup = { request, parent, name in
            Channel.deliver(request) { channel, reply in
                guard let name = FileName(name) else { return }
                channel.handler.lookup(parent: NodeID(rawValue: parent), name: name, reply: reply)
            }
        }
        table.forget = { request, node, count in
            guard let request else { return }
            Channel.of(request)?.takeUnretainedValue().handler.forget(node: NodeID(rawValue: node), count: count)
            fuse_reply_none(request)
        }
        table.forget_multi = { request, count, forgets in
            guard let request else { return }
            let handler = Channel.of(request)?.takeUnretainedValue().handler
            for forget in UnsafeBufferPointer(start: forgets, count: count) {
                handler?.forget(node: NodeID(rawValue: forget.ino), count: forget.nlookup)
            }
            fuse_reply_none(request)
        }
        table.getattr = { request, node, _ in
            Channel.deliver(request) { $0.handler.attributes(node: NodeID(rawValue: node), reply: $1) }
        }
        table.statfs = { request, node in
            Channel.deliver(request) { $0.handler.statistics(node: NodeID(rawValue: node), reply: $1) }
        }
        addFileOperations(&table)
        addDirectoryOperations(&table)
        addExtendedAttributeOperations(&table)
        if isWritable { addWriteOperations(&table) }
        return table
    }

    private static func addFileOperations(_ table: inout fuse_lowlevel_ops) {
        table.open = { request, node, info in
            let flags = info?.pointee.flags ?? 0
            Channel.deliver(request) { $0.handler.open(node: NodeID(rawValue: node), flags: flags, reply: $1) }
        }
        table.read = { request, _, size, offset, info in
            guard let request else { return }
            let reply = Reply(request)
            guard let handle = OpenFileHandle.named(info?.pointee.fh ?? 0) else {
                return reply.fail(.badFileDescriptor)
            }
            handle.file.read(offset: Int64(offset), size: size, reply: reply)
        }
        table.release = { request, _, info in
            guard let request else { return }
            let reply = Reply(request)
            OpenFileHandle.named(info?.pointee.fh ?? 0)?.release()
            reply.done()
        }
    }

    private static func addDirectoryOperations(_ table: inout fuse_lowlevel_ops) {
        table.opendir = { request, node, _ in
            Channel.deliver(request) { $0.handler.openDirectory(node: NodeID(rawValue: node), reply: $1) }
        }
        table.readdir = { request, _, size, offset, info in
            Channel.list(
                request, DirectoryBuffer(size: size, isPlus: false), offset: offset, handle: info?.pointee.fh ?? 0)
        }
        table.readdirplus = { request, _, size, offset, info in
            Channel.list(
                request, DirectoryBuffer(size: size, isPlus: true), offset: offset, handle: info?.pointee.fh ?? 0)
        }
        table.releasedir = { request, _, info in
            guard let request else { return }
            let reply = Reply(request)
            OpenDirectoryHandle.named(info?.pointee.fh ?? 0)?.release()
            reply.done()
        }
    }

    private static func addExtendedAttributeOperations(_ table: inout fuse_lowlevel_ops) {
        table.getxattr = { request, node, name, room in
            Channel.deliver(request) { channel, reply in
                guard let name, let name = String(validatingCString: name) else { return reply.fail(.noData) }
                channel.handler.extendedAttribute(node: NodeID(rawValue: node), name: name, room: room, reply: reply)
            }
        }
        table.listxattr = { request, node, room in
            Channel.deliver(request) {
                $0.handler.extendedAttributeNames(node: NodeID(rawValue: node), room: room, reply: $1)
            }
        }
    }

    static func deliver(_ request: OpaquePointer?, _ body: (Channel, consuming Reply) -> Void) {
        guard let request, let channel = of(request)?.takeUnretainedValue() else { return }
        body(channel, Reply(request))
    }

    private static func list(
        _ request: OpaquePointer?, _ listing: consuming DirectoryBuffer, offset: off_t, handle: UInt64
    ) {
        guard let request else { return }
        let reply = Reply(request)
        guard let handle = OpenDirectoryHandle.named(handle) else { return reply.fail(.badFileDescriptor) }
        handle.directory.read(offset: Int64(offset), listing: listing, reply: reply)
    }
}

extension FileName {
    /// A name as libfuse passes it.
    init?(_ text: UnsafePointer<CChar>?) {
        guard let text else { return nil }
        self.init(bytes: Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
    }
}

extension fuse_conn_info {
    /// INIT: what this file system wants of the kernel.
    fileprivate mutating func adjust() {
        let wanted = [
            FUSE_CAP_ASYNC_READ, FUSE_CAP_PARALLEL_DIROPS, FUSE_CAP_READDIRPLUS, FUSE_CAP_READDIRPLUS_AUTO,
        ]
        for capability in wanted { want |= capable & UInt32(bitPattern: capability) }
        // A node is one version of one resource: its pages never become wrong, so a new mtime must not drop them.
        want &= ~UInt32(bitPattern: FUSE_CAP_AUTO_INVAL_DATA)
        want &= ~UInt32(bitPattern: FUSE_CAP_WRITEBACK_CACHE)
        max_read = UInt32(MountOptions.maximumRead)
        max_write = UInt32(MountOptions.maximumRead)
        // `max_readahead` stays at what the kernel offered: it grants no more here (see `ReadAhead`).
        // The kernel's default of 12 would let twelve stalled reads block the read-ahead of the whole mount.
        max_background = 1024
        congestion_threshold = 768
    }
}
