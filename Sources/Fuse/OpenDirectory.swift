/// An open directory; lives from OPENDIR to RELEASEDIR. Methods come from any FUSE worker, several at once.
package protocol OpenDirectory: AnyObject, Sendable {
    /// READDIR and READDIRPLUS: entries after `offset` (0 first; each entry names the offset that follows it; a program
    /// may pass any number to `seekdir`). `listing` has room for what the kernel asked; fill it and answer with
    /// `reply.directory(listing)`.
    func read(offset: Int64, listing: consuming DirectoryBuffer, reply: consuming Reply)
    /// RELEASEDIR: the last descriptor is gone. Answered by the bridge.
    func release()
}
