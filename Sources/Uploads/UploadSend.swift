/// One try to send one version of a file. Equal values never name two tries.
package struct UploadSend: Hashable, Sendable {
    package let id: UploadID
    /// See `UploadRecord.version`.
    package let version: Int64
    /// 1 for the first try of this version.
    package let attempt: Int
    /// The `Idempotency-Key`: the same for every try of this version, another one for every other version.
    package let key: String
}
