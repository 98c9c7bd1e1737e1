package import Platform

/// What became of a read at once.
package enum ReadOutcome: Sendable {
    /// The bytes, from at most two segments. Fewer than asked only at the end of the file or past 1 MiB.
    case ready(ByteSlice, ByteSlice?)
    case endOfFile
    /// The answer comes as an action that names the read.
    case waiting
    case failed(any Error)
}
