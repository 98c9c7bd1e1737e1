import CSystem

/// A short text attached to a file itself, as an extended attribute: it is there as soon as the call returns, without a
/// sync, and outlives this process. File systems without such attributes just keep none.
package enum FileNote {
    private static let name = "user.skyfs.note"
    /// A path of the longest kind Linux knows (`PATH_MAX`).
    private static let maximumLength = 4096

    package static func set(_ text: String, on descriptor: Int32) {
        let bytes = Array(text.utf8.prefix(maximumLength))
        _ = bytes.withUnsafeBytes { fsetxattr(descriptor, name, $0.baseAddress, $0.count, 0) }
    }

    /// nil if there is none, or it is no UTF-8.
    package static func get(from descriptor: Int32) -> String? {
        var length = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: maximumLength) { buffer, count in
            length = fgetxattr(descriptor, name, buffer.baseAddress, buffer.count)
            count = max(length, 0)
        }
        return length > 0 ? String(validating: bytes, as: UTF8.self) : nil
    }
}
