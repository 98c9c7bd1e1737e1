/// Takes one answer as it comes. All calls come from the network thread, in order: head once, body any number of times,
/// finish exactly once (also without a head). They must not block: copy the bytes, note the state, return.
package protocol ResponseConsumer: AnyObject, Sendable {
    /// The head of the final answer. Return false to stop here; `finish` then reports `.success`.
    func receive(head: ResponseHead) -> Bool
    /// Some bytes of the (decoded) body, only valid during the call. Return false to stop here; `finish` then reports
    /// `.success`.
    func receive(body: RawSpan) -> Bool
    /// The end. `.success`: complete as promised by the head (Content-Length met, chunks ended), or stopped by the consumer.
    func finish(_ outcome: Result<Void, TransferError>)
}
