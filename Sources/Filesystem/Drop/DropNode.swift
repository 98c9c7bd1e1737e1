import Fuse
import Platform

/// A file, folder or receipt of a drop folder.
struct DropNode: Sendable {
    enum Content: Sendable {
        case folder
        /// Apart from the node: it is large, and most nodes of a mount that runs for long are gone ones.
        indirect case file(DropFile)
        /// The text of `sent/NAME.json`; the journal keeps it under the node's number.
        case receipt([UInt8])
        /// The text of `failed/NAME.error.txt`, made anew at each start.
        case explanation([UInt8])
        /// No more than a number that the kernel has not forgotten yet.
        case gone
    }

    /// nil: it is no longer in any folder, only open or known to the kernel.
    var parent: Int64?
    var name: FileName
    var content: Content
    /// Permission bits, without the type.
    var permissions: UInt32
    /// Nanoseconds since 1970.
    var modified: Int64
    /// Answers that named this node and were not yet forgotten.
    var lookups: UInt64 = 0
    /// Open descriptors of this node.
    var openHandles = 0

    var isFolder: Bool { if case .folder = content { true } else { false } }

    var isGone: Bool { if case .gone = content { true } else { false } }

    /// What can be read of a node that this program wrote itself.
    var text: [UInt8]? {
        switch content {
        case .receipt(let text), .explanation(let text): text
        case .folder, .file, .gone: nil
        }
    }

    var file: DropFile? { if case .file(let file) = content { file } else { nil } }
}
