/// An open file of a `Handler`; lives from OPEN to RELEASE. Methods come from any FUSE worker, several at once.
package protocol OpenFile: AnyObject, Sendable {
    /// READ: answer with exactly `size` bytes, fewer only at the end of the file. Must not block on the network: park
    /// the reply.
    func read(offset: Int64, size: Int, reply: consuming Reply)
    /// RELEASE: the last descriptor is gone. Answered by the bridge. Not called for files that are still open when the
    /// session ends: the kernel sends no RELEASE then.
    func release()
}
