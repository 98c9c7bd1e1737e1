import CCrypto
import Glibc
import Platform

/// SHA-256 of bytes that come in pieces. One thread at a time.
// SAFETY: the context is made in `init`, used by this value only, and freed in `deinit`.
package struct SHA256Digest: ~Copyable {
    private let context: OpaquePointer

    package init() throws(StoreError) {
        guard let context = EVP_MD_CTX_new() else { throw StoreError(.noMemory, on: "SHA-256") }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw StoreError("SHA-256: libcrypto does not offer it", errno: .notSupported)
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds the next bytes.
    package mutating func update(_ bytes: [UInt8]) throws(StoreError) { try update(bytes[...]) }

    /// Adds the next bytes.
    package mutating func update(_ bytes: ArraySlice<UInt8>) throws(StoreError) {
        let result = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        guard result == 1 else { throw StoreError(.io, on: "SHA-256") }
    }

    /// The digest of all that was added, as 64 lower-case hexadecimal digits.
    package consuming func finish() throws(StoreError) -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &digest, &count) == 1 else { throw StoreError(.io, on: "SHA-256") }
        let digits = Array("0123456789abcdef".utf8)
        let text = digest.prefix(Int(count)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The digest of a text's UTF-8 bytes.
    package static func hexadecimal(of text: String) throws(StoreError) -> String {
        var digest = try SHA256Digest()
        try digest.update(Array(text.utf8))
        return try digest.finish()
    }
}
