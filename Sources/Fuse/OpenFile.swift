import Platform

/// An open file of a `Handler`; lives from OPEN to RELEASE. Methods come from any FUSE worker, several at once.
package protocol OpenFile: AnyObject, Sendable {
    /// READ: answer with exactly `size` bytes, fewer only at the end of the file. Must not block on the network: park
    /// the reply.
    func read(offset: Int64, size: Int, reply: consuming Reply)
    /// RELEASE: the last descriptor is gone. Answered by the bridge. Not called for files that are still open when the
    /// session ends: the kernel sends no RELEASE then.
    func release()

    // Only on a writable mount come the requests below.

    /// WRITE; with O_APPEND the kernel has worked out `offset`. May block on the local disk. Answer with
    /// `reply.written(data.count)`. A shared mapping writes after FLUSH, too, but before `release`.
    func write(offset: Int64, _ data: borrowing WriteBuffer, reply: consuming Reply)
    /// FLUSH: one descriptor is closed, others may be open. An error becomes the error of close(2).
    /// - Parameter wasKilled: a signal ends the closing task, so what it wrote may be half a file. False also where the
    ///   task cannot be seen, and for one that shares the descriptor with the process that wrote last and lives on.
    func flush(wasKilled: Bool, reply: consuming Reply)
    /// FSYNC and FDATASYNC.
    func synchronize(reply: consuming Reply)
    /// FALLOCATE; `mode` as in fallocate(2), offset and length in bytes.
    func allocate(mode: Int32, offset: Int64, length: Int64, reply: consuming Reply)
}

/// A file that is only read.
extension OpenFile {
    package func write(offset: Int64, _ data: borrowing WriteBuffer, reply: consuming Reply) {
        reply.fail(.badFileDescriptor)
    }

    package func flush(wasKilled: Bool, reply: consuming Reply) { reply.done() }

    package func synchronize(reply: consuming Reply) { reply.done() }

    package func allocate(mode: Int32, offset: Int64, length: Int64, reply: consuming Reply) {
        reply.fail(.badFileDescriptor)
    }
}
