/// A whole small answer.
package struct Response: Sendable {
    package var head: ResponseHead
    package var body: [UInt8]

    package init(head: ResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}
