import HTTP
import Listings
import Platform

extension Directory {
    /// The largest listing taken, in bytes: 500 000 entries of a usual length.
    static let maximumListing = 64 << 20
    /// A server that says "no-cache" would cost a request for every name of one `ls -l`.
    private static let minimumFreshness = Duration.seconds(1)
    /// How long the last good listing serves after a failed refresh, before the next try.
    private static let graceAfterFailure = Duration.seconds(5)

    /// Asks for the listing once, however many wait for it.
    /// - Parameter completion: nil, also when the refresh failed but the last good listing still serves; else why not.
    ///   Runs on the work thread.
    func refresh(_ completion: @escaping @Sendable (FileFailure?) -> Void) {
        let starts = state.withLock { state in
            state.refreshWaiters.append(completion)
            defer { state.isRefreshing = true }
            return !state.isRefreshing
        }
        guard starts, let url else { return }
        var request = Request(.get, url, purpose: .metadata)
        request.headers = [("Accept", "text/html, application/xhtml+xml, */*;q=0.5")]
        let allowsExternalLinks = context.options.allowsExternalLinks
        context.client.fetch(request, limit: Self.maximumListing, patience: context.options.operationTimeout) {
            [self] result in
            context.work.async { [self] in
                do throws(FileFailure) {
                    let response = try result.mapFailure()
                    let listing = try response.listing(allowsExternalLinks: allowsExternalLinks)
                    finishRefresh(with: listing, response.head)
                } catch {
                    finishRefresh(failed: error)
                }
            }
        }
    }

    private func finishRefresh(with listing: Listing, _ head: ResponseHead) {
        if listing.skipped > 0 {
            context.log.warning("\(head.url.masked): \(listing.skipped) links skipped, their names cannot be shown")
        }
        let now = Instant.now()
        let waiters = state.withLock { state in
            install(listing, from: head.url, freshness: head.freshness, now: now, in: &state)
            return takeWaiters(&state)
        }
        for waiter in waiters { waiter(nil) }
        removeIfUnused()
    }

    private func finishRefresh(failed failure: FileFailure) {
        if let url { _ = context.errnos.report(failure, of: url) }
        let now = Instant.now()
        let (waiters, isServed) = state.withLock { state in
            state.failure = failure
            if state.hasListing {
                state.freshUntil = now + min(Self.graceAfterFailure, context.options.ttl)
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

    func install(_ listing: Listing, from base: HTTPURL, freshness: Duration?, now: Instant, in state: inout State) {
        state.table.replace(listing: listing)
        state.base = base
        state.hasListing = true
        state.failure = nil
        state.unlistable = nil
        state.freshUntil = now + (freshness.map { max($0, Self.minimumFreshness) } ?? context.options.ttl)
        state.probes = ProbeOrder()
    }
}

extension Response {
    /// The entries of a directory's answer. CPU work: not on the network thread.
    func listing(allowsExternalLinks: Bool) throws(FileFailure) -> Listing {
        guard (200..<300).contains(head.status) else { throw .status(head.status) }
        do {
            return try ListingParser.parse(
                body, mediaType: head.mediaType, charset: head.charset, url: head.url,
                allowsExternalLinks: allowsExternalLinks
            ).listing
        } catch {
            throw .listing(error)
        }
    }
}

extension Result where Success == Response, Failure == TransferError {
    func mapFailure() throws(FileFailure) -> Response {
        switch self {
        case .success(let response): return response
        case .failure(let error): throw .transfer(error)
        }
    }
}
