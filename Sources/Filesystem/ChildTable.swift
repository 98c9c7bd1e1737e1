import Listings
import Platform

/// The entries of one directory's last good listing, and the nodes the kernel knows of them. Pure.
///
/// A node has a slot number that is never used again, so that one node stays one version: when a refresh shows another
/// size or date, the entry gets a new slot and the old one lives on, by itself, until the kernel forgets it.
struct ChildTable: Sendable {
    enum Target: Sendable {
        /// A file of which nothing but its row is known.
        case row
        /// A row that is no longer in the listing, or is there with another size or date.
        case formerRow(ListingEntry)
        case file(RemoteFile)
        case directory(Directory)
    }

    struct Child: Sendable {
        /// Row in the listing; nil once the listing has no such row any more.
        var index: Int?
        /// How many answers named this node and were not yet forgotten.
        var lookups: UInt64
        var target: Target
    }

    private(set) var listing: Listing
    private(set) var children: [UInt32: Child] = [:]
    /// Slot of each row, 0 for none; empty until the first is needed.
    private var slots: [UInt32] = []
    private var nextSlot: UInt32 = 1
    /// Counts the listings, so that an open directory can tell whether its snapshot is still the current one.
    private(set) var generation = 0

    /// How many children the kernel knows.
    private(set) var retainedCount = 0

    init(listing: Listing) { self.listing = listing }

    subscript(slot: UInt32) -> Child? { children[slot] }

    /// The row behind a child: from the listing, or as it last was.
    func entry(of child: Child) -> ListingEntry? {
        if case .formerRow(let entry) = child.target { return entry }
        return child.index.map { listing[$0] }
    }

    /// The slot of a row, made with `target` if it has none.
    mutating func slot(at index: Int, orMake target: () -> Target = { .row }) -> UInt32 {
        if slots.isEmpty { slots = Array(repeating: 0, count: listing.count) }
        if slots[index] == 0 {
            slots[index] = nextSlot
            children[nextSlot] = Child(index: index, lookups: 0, target: target())
            nextSlot += 1
        }
        return slots[index]
    }

    /// Whether nothing is known of a slot's file but its row.
    func isPlainRow(_ slot: UInt32?) -> Bool {
        guard let slot, case .row? = children[slot]?.target else { return false }
        return true
    }

    /// The slot of a row, if it has one.
    func existingSlot(at index: Int) -> UInt32? {
        slots.isEmpty || slots[index] == 0 ? nil : slots[index]
    }

    mutating func setTarget(_ target: Target, of slot: UInt32) { children[slot]?.target = target }

    mutating func retain(_ slot: UInt32) {
        if children[slot]?.lookups == 0 { retainedCount += 1 }
        children[slot]?.lookups += 1
    }

    /// The kernel forgot `count` answers that named the slot.
    mutating func forget(_ slot: UInt32, count: UInt64) {
        guard var child = children[slot], child.lookups > 0 else { return }
        child.lookups -= min(count, child.lookups)
        if child.lookups > 0 {
            children[slot] = child
        } else {
            retainedCount -= 1
            remove(slot)
        }
    }

    /// A child directory that nobody knows any more.
    mutating func remove(_ directory: Directory) {
        // Where its name leads there, no search is needed.
        let named = directory.name.flatMap { listing.index(of: $0) }.flatMap { existingSlot(at: $0) }
        let slot =
            named.flatMap { leads($0, to: directory) ? $0 : nil }
            ?? children.first { leads($0.key, to: directory) }?.key
        guard let slot, let child = children[slot] else { return }
        if child.lookups > 0 { retainedCount -= 1 }
        remove(slot)
    }

    private func leads(_ slot: UInt32, to directory: Directory) -> Bool {
        guard case .directory(let other)? = children[slot]?.target else { return false }
        return other === directory
    }

    private mutating func remove(_ slot: UInt32) {
        if let index = children.removeValue(forKey: slot)?.index { slots[index] = 0 }
        if children.isEmpty { children = [:] }
    }

    /// A file turned out to be another version: its row gets a new node with `target`.
    /// - Returns: the new slot; nil if the row no longer led to `slot`.
    mutating func supersede(_ slot: UInt32, with target: Target) -> UInt32? {
        guard let index = children[slot]?.index, slots[index] == slot else { return nil }
        detach(slot)
        slots[index] = nextSlot
        children[nextSlot] = Child(index: index, lookups: 0, target: target)
        defer { nextSlot += 1 }
        return nextSlot
    }

    /// Takes the place of the listing. Nodes whose row is unchanged keep it; the others live on detached.
    mutating func replace(listing new: Listing) {
        let old = listing
        var newSlots = children.isEmpty ? [] : Array(repeating: UInt32(0), count: new.count)
        for (slot, child) in children {
            guard let index = child.index else { continue }
            let row = old[index]
            if let newIndex = new.index(of: row.name), Self.isSameVersion(row, new[newIndex]) {
                children[slot]?.index = newIndex
                newSlots[newIndex] = slot
            } else {
                detach(slot)
            }
        }
        listing = new
        slots = newSlots
        generation += 1
    }

    private mutating func detach(_ slot: UInt32) {
        guard var child = children[slot], let index = child.index else { return }
        if child.lookups == 0 {
            children[slot] = nil
            return
        }
        if case .row = child.target { child.target = .formerRow(listing[index]) }
        child.index = nil
        children[slot] = child
    }

    /// A directory stays itself whatever its date; a file is its size and date.
    private static func isSameVersion(_ old: ListingEntry, _ new: ListingEntry) -> Bool {
        guard old.kind == new.kind, old.reference == new.reference else { return false }
        return old.kind == .directory || (old.size == new.size && old.modified == new.modified)
    }
}
