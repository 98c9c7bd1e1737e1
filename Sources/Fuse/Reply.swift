import CFuse
import Glibc
package import Platform

/// The one answer to one request. Consuming it answers; dropping it answers EIO, so that no path leaves a program
/// hanging. Any thread. After the session's end the answer goes nowhere, which is harmless.
// SAFETY: libfuse lets any thread answer a request, once; the type cannot be copied and every method consumes it.
package struct Reply: ~Copyable, @unchecked Sendable {
    /// Never nil; a plain pointer, so that `discard self` is allowed.
    private let request: OpaquePointer

    /// Takes over a request that libfuse just delivered.
    init(_ request: OpaquePointer) {
        // Balanced in `send`: the channel outlives its unanswered requests.
        Channel.of(request)?.retain()._withUnsafeGuaranteedRef { $0.gate.followEarlierAnswers() }
        self.request = request
    }

    /// Takes back a request that `relinquish` gave.
    init(resuming request: OpaquePointer) { self.request = request }

    deinit { _ = Self.send(request) { fuse_reply_err($0, EIO) } }

    /// Gives the request away unanswered; the caller owes `init(resuming:)`.
    consuming func relinquish() -> OpaquePointer {
        let request = request
        discard self
        return request
    }

    /// Answers with an error.
    package consuming func fail(_ errno: Errno) {
        // libfuse replaces numbers outside this range by ERANGE and says so in the log.
        let number = (1..<1000).contains(errno.rawValue) ? errno.rawValue : EIO
        _ = Self.send(relinquish()) { fuse_reply_err($0, number) }
    }

    /// Answers "done" where no data is expected.
    package consuming func done() { _ = Self.send(relinquish()) { fuse_reply_err($0, 0) } }

    /// Answers LOOKUP or MKDIR. The kernel then owes one FORGET; if it refuses the answer, `Handler.forget` is called here.
    package consuming func entry(_ entry: Entry) {
        let request = relinquish()
        let handler = Channel.of(request)?.takeUnretainedValue().handler
        var parameters = entry.parameters
        if Self.send(request, { fuse_reply_entry($0, &parameters) }) != 0 {
            handler?.forget(node: entry.node, count: 1)
        }
    }

    /// Answers LOOKUP: there is no such name, and the kernel may believe that for `entryTimeout`.
    package consuming func missing(entryTimeout: Duration) {
        var parameters = fuse_entry_param()
        parameters.entry_timeout = entryTimeout.inSeconds
        _ = Self.send(relinquish()) { fuse_reply_entry($0, &parameters) }
    }

    /// Answers GETATTR or SETATTR; the kernel may believe the attributes for `timeout`.
    package consuming func attributes(_ attributes: Attributes, timeout: Duration) {
        var status = attributes.status
        _ = Self.send(relinquish()) { fuse_reply_attr($0, &status, timeout.inSeconds) }
    }

    /// Answers OPEN. If the kernel refuses the answer (the opener was interrupted), `file.release()` is called here.
    /// - Parameters:
    ///   - directIO: past the page cache; reads come with the program's own sizes, also beyond the known end.
    ///   - keepCache: the pages of earlier opens stay valid.
    ///   - noFlush: no FLUSH when the file is closed (kernels before 5.16 send it all the same).
    ///   - isEmptied: O_TRUNC was carried out.
    package consuming func opened(
        _ file: any OpenFile, directIO: Bool, keepCache: Bool, noFlush: Bool = false, isEmptied: Bool = false
    ) {
        let request = relinquish()
        let handle = OpenFileHandle(file, changedBy: isEmptied ? request : nil)
        var info = handle.information(directIO: directIO, keepCache: keepCache, noFlush: noFlush)
        if Self.send(request, { fuse_reply_open($0, &info) }) != 0 { handle.release() }
    }

    /// Answers CREATE: LOOKUP and OPEN in one. If the kernel refuses the answer, `file.release()` and `Handler.forget`
    /// are called here. Parameters as for `opened`.
    package consuming func created(
        _ entry: Entry, _ file: any OpenFile, directIO: Bool, keepCache: Bool, noFlush: Bool = false
    ) {
        let request = relinquish()
        let handler = Channel.of(request)?.takeUnretainedValue().handler
        var parameters = entry.parameters
        let handle = OpenFileHandle(file, changedBy: request)
        var info = handle.information(directIO: directIO, keepCache: keepCache, noFlush: noFlush)
        if Self.send(request, { fuse_reply_create($0, &parameters, &info) }) != 0 {
            handle.release()
            handler?.forget(node: entry.node, count: 1)
        }
    }

    /// Answers OPENDIR. If the kernel refuses the answer, `directory.release()` is called here.
    /// - Parameter cache: the kernel may keep the entries it reads and serve later listings from them.
    package consuming func openedDirectory(_ directory: any OpenDirectory, cache: Bool) {
        let handle = OpenDirectoryHandle(directory)
        var info = fuse_file_info()
        info.fh = handle.identifier
        info.cache_readdir = cache ? 1 : 0
        // Without it the kernel drops at this OPENDIR what it has kept.
        info.keep_cache = cache ? 1 : 0
        if Self.send(relinquish(), { fuse_reply_open($0, &info) }) != 0 { handle.release() }
    }

    /// Answers READ with the bytes of one or two slices. No heap allocation here.
    package consuming func data(_ first: ByteSlice, _ second: ByteSlice? = nil) {
        let request = relinquish()
        first.withUnsafeBytes { first in
            guard let second else {
                _ = Self.send(request) { fuse_reply_buf($0, first.bindMemory(to: CChar.self).baseAddress, first.count) }
                return
            }
            second.withUnsafeBytes { second in
                withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vector in
                    vector[0] = iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
                    vector[1] = iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
                    _ = Self.send(request) { fuse_reply_iov($0, vector.baseAddress, 2) }
                }
            }
        }
    }

    /// Answers WRITE with the number of bytes that are written.
    package consuming func written(_ count: Int) { _ = Self.send(relinquish()) { fuse_reply_write($0, count) } }

    /// Answers READ or READDIR with nothing: the end.
    package consuming func empty() { _ = Self.send(relinquish()) { fuse_reply_buf($0, nil, 0) } }

    /// Answers STATFS.
    package consuming func statistics(_ statistics: FilesystemStatistics) {
        var status = statistics.status
        _ = Self.send(relinquish()) { fuse_reply_statfs($0, &status) }
    }

    /// Answers GETXATTR or LISTXATTR.
    /// - Parameter room: what the program has room for, in bytes; 0: only the size is asked. Too little: ERANGE.
    package consuming func extendedAttribute(_ value: [UInt8], room: Int) {
        let request = relinquish()
        _ = Self.send(request) { request in
            if room == 0 { return fuse_reply_xattr(request, value.count) }
            guard value.count <= room else { return fuse_reply_err(request, ERANGE) }
            return value.withUnsafeBytes {
                fuse_reply_buf(request, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
            }
        }
    }

    /// Answers READDIR or READDIRPLUS; an empty buffer is the end of the directory. If the kernel refuses the answer,
    /// `Handler.forget` is called here for every node it named.
    package consuming func directory(_ buffer: consuming DirectoryBuffer) {
        let request = relinquish()
        let handler = Channel.of(request)?.takeUnretainedValue().handler
        let isRefused = buffer.withUnsafeBytes { bytes in
            Self.send(request) { fuse_reply_buf($0, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count) } != 0
        }
        if isRefused, let handler { buffer.forEachCountedNode { handler.forget(node: $0, count: 1) } }
    }

    /// Sends through `write` unless the device is closed, then gives up the hold on the channel.
    /// - Returns: 0, or an error number: the kernel did not take the answer.
    private static func send(_ request: OpaquePointer, _ write: (OpaquePointer) -> Int32) -> Int32 {
        guard let channel = of(request) else { return EIO }
        defer { channel.release() }
        return channel._withUnsafeGuaranteedRef { channel in
            if let result = channel.gate.pass({ write(request) }) { return result }
            fuse_reply_none(request)
            return ENOTCONN
        }
    }

    private static func of(_ request: OpaquePointer) -> Unmanaged<Channel>? { Channel.of(request) }
}
