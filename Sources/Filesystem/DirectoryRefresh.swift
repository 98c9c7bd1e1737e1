import HTTP
import Listings
import Platform

extension Directory {
    /// A server that says "no-cache" would cost a request for every name of one `ls -l`.
    private static let minimumFreshness = Duration.seconds(1)
    /// How long the last good listing serves after a failed refresh, before the next try.
    private static let graceAfterFailure = Duration.seconds(5)
    /// How long a listing is shown while a fresh one is asked for, as a multiple of the time for which it is fresh.
    private static let usableFactor = 10
    /// A listing above this size is given back once nobody uses it; smaller ones stay for when the server is down.
    private static let largeListing = 1 << 20

    /// Asks for the listing once, however many wait for it.
    /// - Parameter completion: nil, also when the refresh failed but the last good listing still serves; else why not.
    ///   Runs on the work thread.
    func refresh(_ completion: @escaping @Sendable (FileFailure?) -> Void) {
        let (starts, style, condition) = state.withLock { state in
            state.refreshWaiters.append(completion)
            defer { state.isRefreshing = true }
            return (!state.isRefreshing, state.style, state.hasListing ? state.condition : nil)
        }
        guard starts else { return }
        switch origin {
        case .remote(let url, _):
            ListingFetch(context: context, url: url, style: style, condition: condition) { [self] result in
                switch result {
                case .success(let outcome): finishRefresh { take(outcome, now: $1, in: &$0) }
                case .failure(let failure): finishRefresh(failed: failure)
                }
            }.start()
        case .manifest(let file, let path): context.work.async { [self] in read(file, path) }
        case .fixed: finishRefresh { _, _ in }
        }
    }

    private func read(_ file: ManifestFile, _ path: [FileName]) {
        do throws(ManifestError) {
            guard let listing = try file.manifest().listing(of: path) else {
                return finishRefresh(failed: .status(404))
            }
            finishRefresh { install(listing, now: $1, in: &$0) }
        } catch {
            finishRefresh(failed: .manifest(error.description))
        }
    }

    private func finishRefresh(_ change: (inout State, Instant) -> Void) {
        settle(change)
        removeIfUnused()
    }

    private func settle(_ change: (inout State, Instant) -> Void) {
        let now = Instant.now()
        let (waiters, skipped, isLarge) = state.withLock { state in
            change(&state, now)
            return (takeWaiters(&state), takeSkipped(&state), state.table.listing.bytesUsed > Self.largeListing)
        }
        if skipped > 0, let address {
            context.log.warning("\(address): \(skipped) entries skipped, their names cannot be shown")
        }
        for waiter in waiters { waiter(nil) }
        if isLarge { giveBackLater() }
    }

    private func finishRefresh(failed failure: FileFailure) {
        if let address { _ = context.errnos.report(failure, of: address) }
        let now = Instant.now()
        let (waiters, isServed) = state.withLock { state in
            state.failure = failure
            if state.hasListing {
                state.freshUntil = now + min(Self.graceAfterFailure, context.options.ttl)
                state.usableUntil = max(state.usableUntil, now + context.options.ttl * Self.usableFactor)
            } else if failure.isRefusedListing {
                state.unlistable = failure
                state.freshUntil = now + context.options.ttl
            }
            return (takeWaiters(&state), state.hasListing)
        }
        for waiter in waiters { waiter(isServed ? nil : failure) }
        removeIfUnused()
    }

    private func takeWaiters(_ state: inout State) -> [@Sendable (FileFailure?) -> Void] {
        state.isRefreshing = false
        defer { state.refreshWaiters = [] }
        return state.refreshWaiters
    }

    /// How many names were skipped, if that was not said yet.
    private func takeSkipped(_ state: inout State) -> Int {
        let skipped = state.table.listing.skipped
        defer { state.loggedSkips = skipped }
        return skipped == state.loggedSkips ? 0 : skipped
    }

    // MARK: A new listing

    /// Takes a listing that is already here: the answer that decided that a source is a directory. Nobody knows it yet.
    func adopt(_ fetched: FetchedListing) {
        settle { take(.listing(fetched), now: $1, in: &$0) }
    }

    private func take(_ outcome: ListingFetch.Outcome, now: Instant, in state: inout State) {
        switch outcome {
        case .listing(let fetched):
            state.base = fetched.base
            state.style = fetched.style
            state.condition = fetched.condition
            state.table.replace(listing: fetched.listing)
            state.probes = ProbeOrder()
            state.walk = WalkOrder()
            confirm(freshness: fetched.freshness, now: now, in: &state)
        case .unchanged(let freshness): confirm(freshness: freshness, now: now, in: &state)
        }
    }

    /// A manifest is local: looked at again soon, for that costs nothing.
    private func install(_ listing: Listing, now: Instant, in state: inout State) {
        state.table.replace(listing: listing)
        confirm(freshness: .zero, now: now, in: &state)
    }

    private func confirm(freshness: Duration?, now: Instant, in state: inout State) {
        state.hasListing = true
        state.failure = nil
        state.unlistable = nil
        let time = freshness.map { max($0, Self.minimumFreshness) } ?? context.options.ttl
        state.freshUntil = now + time
        // "no-cache" says that it must not be shown without asking.
        state.usableUntil = freshness == .zero ? state.freshUntil : now + time * Self.usableFactor
    }

    // MARK: Memory

    /// Gives back a large listing that is no longer fresh and of which the kernel knows no entry. It is asked for again when
    /// somebody comes.
    func giveBackListing() {
        guard case .remote = origin else { return }
        let now = Instant.now()
        state.withLock { state in
            guard state.isIdle, state.hasListing, now >= state.freshUntil, state.failure == nil,
                state.table.listing.bytesUsed > Self.largeListing
            else { return }
            state.table.replace(listing: Listing(entries: []))
            state.hasListing = false
            state.condition = nil
        }
    }

    private func giveBackLater() {
        let rest = state.withLock { max($0.freshUntil - .now(), .zero) }
        _ = context.client.schedule(after: rest + .milliseconds(1)) { [weak self] in self?.giveBackListing() }
    }
}

extension Directory.State {
    /// Whether what is known may be shown, if only while it is asked for again.
    func isUsable(now: Instant) -> Bool { hasListing ? now < usableUntil : unlistable != nil && now < freshUntil }

    /// Whether the listing is shown, and should be asked for again.
    func isDue(now: Instant) -> Bool { hasListing && now >= freshUntil && now < usableUntil && !isRefreshing }

    /// Whether neither the kernel nor a handle knows anything in it.
    var isIdle: Bool { openHandles == 0 && !isRefreshing && table.retainedCount == 0 }
}
