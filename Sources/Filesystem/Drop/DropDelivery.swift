import Platform
import Uploads

/// A file that the server has, until its receipt is safe. It is in no folder any more.
struct DropDelivery: Sendable {
    /// As it was sent.
    let name: FileName
    /// The folders it lay in, from the top.
    let folders: [FileName]
    let file: DropFile

    /// For people.
    var path: String { (folders + [name]).map(\.description).joined(separator: "/") }
}
