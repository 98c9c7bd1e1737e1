/// What an answer does otherwise than a good server would. Several can be combined; the first that ends the answer does.
package enum Fault: Sendable {
    /// Waits before the first byte of the answer.
    case delay(Duration)
    /// The most bytes of the body a second, sent in steps of 20 ms.
    case rate(bytesPerSecond: Int64)
    /// Closes the connection (FIN) after that many bytes of the body.
    case cut(afterBody: Int64)
    /// Sends nothing more after that many bytes of the body, and leaves the connection open until the peer closes it.
    case stall(afterBody: Int64)
    /// Resets the connection (RST) after that many bytes of the body.
    case resetAfter(Int64)
    /// States no length: the end of the connection is the end of the body.
    case noContentLength
    /// Sends the body in chunks and states no length.
    case chunked
    /// Answers as HTTP/1.0 and closes the connection.
    case http10
    /// Closes the connection after the complete answer, unannounced.
    case closes
}
