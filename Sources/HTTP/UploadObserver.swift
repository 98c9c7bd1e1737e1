/// Is told how an upload goes. All calls come from the network thread and must not block.
package protocol UploadObserver: AnyObject, Sendable {
    /// Bytes of the form that have gone out in the present try, and its size; at most every 100 ms. A redirect begins anew.
    func progressed(sent: Int64, total: Int64)
    /// The end; once, and nothing after it.
    func finish(_ result: UploadResult)
}
