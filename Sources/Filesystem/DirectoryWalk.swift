import HTTP
import Listings
import Platform

/// Listing directories ahead of a program that walks through the tree.
extension Directory {
    /// Listings asked for ahead at a time, in the whole mount.
    private static let maximumAhead = 64

    /// The directory was opened, and its listing is here.
    func walked() {
        guard let parent, parent.reached(self) else { return }
        listAhead { state in
            let listing = state.table.listing
            return state.walk.begin(count: listing.count) { listing.kind(at: $0) == .directory }
        }
    }

    /// A directory in this one was opened.
    /// - Returns: whether a program is walking through this directory.
    private func reached(_ child: Directory) -> Bool {
        guard let name = child.name else { return false }
        let now = Instant.now()
        return listAhead { state in
            let listing = state.table.listing
            guard let row = listing.index(of: name) else { return [] }
            return state.walk.next(after: row, count: listing.count, now: now) { listing.kind(at: $0) == .directory }
        }
    }

    /// - Returns: whether a program is walking through this directory.
    @discardableResult
    private func listAhead(_ choose: (inout State) -> [Int]) -> Bool {
        let (directories, isWalk): ([Directory], Bool) = state.withLock { state in
            let rows = choose(&state)
            let directories = rows.compactMap { row -> Directory? in
                let slot = state.table.slot(at: row)
                guard let child = directory(slot: slot, row: state.table.listing[row], in: &state) else { return nil }
                return child.beginAhead(room: Self.maximumAhead) ? child : nil
            }
            return (directories, state.walk.isWalk)
        }
        for directory in directories { directory.listAhead() }
        return isWalk
    }

    /// Within the parent's lock, so that the directory is not given up before its listing comes.
    private func beginAhead(room: Int) -> Bool {
        guard case .remote = origin, context.counters.listingsAhead.current < room else { return false }
        let begins = state.withLock { state in
            guard !state.hasListing, !state.isRefreshing, state.unlistable == nil, !state.isAhead else { return false }
            state.isAhead = true
            return true
        }
        if begins { context.counters.listingsAhead.add(1) }
        return begins
    }

    private func listAhead() {
        refresh { [self] _ in
            context.counters.listingsAhead.add(-1)
            let rest = state.withLock { max($0.freshUntil - .now(), .zero) }
            // Who does not come for it within its time does not need it.
            _ = context.client.schedule(after: min(rest, context.options.ttl)) { [weak self] in
                guard let self else { return }
                state.withLock { $0.isAhead = false }
                removeIfUnused()
            }
        }
    }
}
