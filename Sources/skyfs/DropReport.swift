import FoundationEssentials
import Glibc

/// What a mount says about one of its drop folders, in `.skyfs/status.json`.
struct DropReport: Decodable, Equatable {
    /// In the root of the mount; empty if it is the root.
    var name: String
    /// Without secrets.
    var target: String
    /// Files that are being written, settle, or wait for their turn.
    var pending: Int
    var sending: Int
    /// Files in `failed/`.
    var failed: Int
    /// Why nothing goes up for now.
    var paused: String?

    var isEmpty: Bool { pending + sending == 0 }

    /// "2 files to go to https://host/upload (paused: 401)"
    var words: String {
        let count = pending + sending
        return "\(count) \(count == 1 ? "file" : "files") to go to \(target)"
            + (paused.map { " (paused: \($0))" } ?? "")
    }

    func failedFolder(_ mount: String) -> String { mount + (name.isEmpty ? "" : "/\(name)") + "/failed" }
}
