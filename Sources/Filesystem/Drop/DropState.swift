import Fuse
import Platform
import Uploads

/// Everything about one drop folder that changes, behind one lock.
struct DropState: Sendable {
    var tree: DropTree
    var queue: UploadQueue
    /// For nodes, versions and receipts alike; only grows, also over restarts.
    private var nextNumber: Int64
    /// What is being sent, by node.
    var transfers: [Int64: DropTransfer] = [:]
    /// What the server has, but has no safe receipt yet; by node.
    var deliveries: [Int64: DropDelivery] = [:]
    /// FLUSHes that wait for the server's verdict, by node.
    var verdicts: [Int64: [DropVerdict]] = [:]
    /// When the queue's timer fires; nil if none is set.
    var timerAt: Instant?
    /// Nodes of the receipts, oldest first.
    var receiptOrder: [Int64] = []
    var isEnding = false
    /// The journal takes no more rows.
    var isClosed = false

    init(tree: DropTree, queue: UploadQueue, nextNumber: Int64) {
        self.tree = tree
        self.queue = queue
        self.nextNumber = nextNumber
    }

    mutating func takeNumber() -> Int64 {
        defer { nextNumber += 1 }
        return nextNumber
    }
}

/// A FLUSH that waits for the server's verdict on a version.
struct DropVerdict: Sendable {
    let version: Int64
    let reply: ParkedReply
}
