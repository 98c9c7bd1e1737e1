import CFuse
import Glibc
import Platform

extension Channel {
    /// The operations that only a writable mount has.
    static func addWriteOperations(_ table: inout fuse_lowlevel_ops) {
        table.setattr = { request, node, status, selection, info in
            let handle = OpenFileHandle.named(info?.pointee.fh ?? 0)
            if let request, selection & FUSE_SET_ATTR_SIZE != 0 { handle?.noteChange(by: request) }
            let file = handle?.file
            Channel.deliver(request) { channel, reply in
                guard let changes = status.flatMap({ AttributeChanges($0.pointee, selection: selection) }) else {
                    return reply.fail(.invalid)
                }
                channel.handler.change(node: NodeID(rawValue: node), changes, file: file, reply: reply)
            }
        }
        table.setxattr = { request, node, name, value, count, flags in
            Channel.deliver(request) { channel, reply in
                guard let name, let name = String(validatingCString: name) else { return reply.fail(.notSupported) }
                channel.handler.setExtendedAttribute(
                    node: NodeID(rawValue: node), name: name,
                    value: Array(UnsafeRawBufferPointer(start: value, count: count)), flags: flags, reply: reply)
            }
        }
        table.removexattr = { request, node, name in
            Channel.deliver(request) { channel, reply in
                guard let name, let name = String(validatingCString: name) else { return reply.fail(.noData) }
                channel.handler.removeExtendedAttribute(node: NodeID(rawValue: node), name: name, reply: reply)
            }
        }
        addNameOperations(&table)
        addContentOperations(&table)
    }

    private static func addNameOperations(_ table: inout fuse_lowlevel_ops) {
        table.create = { request, parent, name, mode, info in
            let flags = info?.pointee.flags ?? 0
            Channel.deliver(request) { channel, reply in
                guard let name = FileName(name) else { return }
                channel.handler.create(
                    parent: NodeID(rawValue: parent), name: name, permissions: mode & Attributes.permissionBits,
                    flags: flags, reply: reply
                )
            }
        }
        table.mkdir = { request, parent, name, mode in
            Channel.deliver(request) { channel, reply in
                guard let name = FileName(name) else { return }
                channel.handler.makeDirectory(
                    parent: NodeID(rawValue: parent), name: name, permissions: mode & Attributes.permissionBits,
                    reply: reply)
            }
        }
        table.unlink = { request, parent, name in
            Channel.deliver(request) { channel, reply in
                guard let name = FileName(name) else { return }
                channel.handler.removeFile(parent: NodeID(rawValue: parent), name: name, reply: reply)
            }
        }
        table.rmdir = { request, parent, name in
            Channel.deliver(request) { channel, reply in
                guard let name = FileName(name) else { return }
                channel.handler.removeDirectory(parent: NodeID(rawValue: parent), name: name, reply: reply)
            }
        }
        table.rename = { request, parent, name, newParent, newName, flags in
            Channel.deliver(request) { channel, reply in
                guard let name = FileName(name), let newName = FileName(newName) else { return }
                channel.handler.rename(
                    parent: NodeID(rawValue: parent), name: name, newParent: NodeID(rawValue: newParent),
                    newName: newName, flags: flags, reply: reply)
            }
        }
        table.mknod = { request, parent, _, _, _ in
            Channel.deliver(request) { $0.handler.makeSpecial(parent: NodeID(rawValue: parent), reply: $1) }
        }
        table.symlink = { request, _, parent, _ in
            Channel.deliver(request) { $0.handler.makeSpecial(parent: NodeID(rawValue: parent), reply: $1) }
        }
        table.link = { request, _, parent, _ in
            Channel.deliver(request) { $0.handler.makeSpecial(parent: NodeID(rawValue: parent), reply: $1) }
        }
    }

    private static func addContentOperations(_ table: inout fuse_lowlevel_ops) {
        table.write = { request, _, bytes, count, offset, info in
            Channel.deliver(request, info, isChange: true) { file, reply in
                let data = WriteBuffer(UnsafeRawBufferPointer(start: bytes, count: count))
                file.write(offset: Int64(offset), data, reply: reply)
            }
        }
        table.flush = { request, _, info in
            guard let request else { return }
            let reply = Reply(request)
            guard let handle = OpenFileHandle.named(info?.pointee.fh ?? 0) else {
                return reply.fail(.badFileDescriptor)
            }
            handle.file.flush(wasKilled: handle.isWriterKilled(request), reply: reply)
        }
        table.fsync = { request, _, _, info in
            Channel.deliver(request, info) { $0.synchronize(reply: $1) }
        }
        table.fallocate = { request, _, mode, offset, length, info in
            Channel.deliver(request, info, isChange: true) {
                $0.allocate(mode: mode, offset: Int64(offset), length: Int64(length), reply: $1)
            }
        }
        table.fsyncdir = { request, _, _, _ in Channel.deliver(request) { $1.done() } }
    }

    private static func deliver(
        _ request: OpaquePointer?, _ info: UnsafeMutablePointer<fuse_file_info>?, isChange: Bool = false,
        _ body: (any OpenFile, consuming Reply) -> Void
    ) {
        guard let request else { return }
        let reply = Reply(request)
        guard let handle = OpenFileHandle.named(info?.pointee.fh ?? 0) else { return reply.fail(.badFileDescriptor) }
        if isChange { handle.noteChange(by: request) }
        body(handle.file, reply)
    }
}
