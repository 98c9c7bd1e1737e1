import Platform

/// When which file may be sent, earliest first, in a binary heap. An entry is not searched when it changes: the owner
/// tells at reading which are still true, the others are dropped on the way.
struct UploadSchedule: Sendable {
    struct Entry: Comparable, Hashable, Sendable {
        let at: Instant
        let id: UploadID

        static func < (left: Entry, right: Entry) -> Bool { (left.at, left.id) < (right.at, right.id) }
    }

    private var heap: [Entry] = []

    /// Entries, true or not.
    var count: Int { heap.count }

    mutating func add(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The earliest entry that is still true; those before it are dropped.
    mutating func first(_ isTrue: (Entry) -> Bool) -> Entry? {
        while let top = heap.first {
            if isTrue(top) { return top }
            removeFirst()
        }
        return nil
    }

    /// Drops what is no longer true once that is the greater part, so that changes without end take no memory.
    mutating func compact(live: Int, _ isTrue: (Entry) -> Bool) {
        guard heap.count > 2 * live + Self.slack else { return }
        // A sorted array is a heap.
        heap = heap.filter(isTrue).sorted().reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// Small queues are not worth the sorting.
    private static let slack = 64

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0] < heap[$1] }), heap[least] < heap[parent] else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
