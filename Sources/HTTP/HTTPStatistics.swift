/// Counters of a client.
package struct HTTPStatistics: Sendable {
    /// Requests sent, each hop of a redirect counted.
    package var requests = 0
    /// Body bytes.
    package var bytesReceived: Int64 = 0
    /// Uploads that were answered, whatever the answer.
    package var uploads = 0
    /// Bytes of forms given to connections, those of failed tries included.
    package var uploadedBytes: Int64 = 0
    package var connectionsOpened = 0
    package var running = 0
    package var queued = 0
    package var retries = 0
}
