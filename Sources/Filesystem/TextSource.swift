import FoundationEssentials

/// Small files of the system.
enum TextSource {
    /// nil if there is no such file, it cannot be read, or it is larger than `limit` bytes.
    static func read(_ path: String, limit: Int) -> String? {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= limit else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
