import HTTP

/// Who we are to the servers of a mount's sources.
struct SourceIdentities {
    var credentials: [Origin: Credentials] = [:]
    /// Of S3 servers.
    var signing: [Origin: RequestSigning] = [:]
}
