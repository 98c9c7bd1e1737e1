import HTTP
import Listings
import Platform
import Segments

extension Directory {
    /// Sets the entries of a directory that no server lists.
    /// - Parameter origins: of the directories among them.
    func fix(_ listing: Listing, origins: [FileName: Origin]) {
        state.withLock { state in
            state.table.replace(listing: listing)
            state.hasListing = true
            state.fixedOrigins = origins
            (state.freshUntil, state.usableUntil) = (.distantFuture, .distantFuture)
        }
    }

    func file(slot: UInt32) -> RemoteFile? { state.withLock { file(slot: slot, in: &$0) } }

    /// The directory behind a name of the listing, made if nobody looked it up yet.
    func childDirectory(_ name: FileName) -> Directory? {
        state.withLock { state in
            guard let index = state.table.listing.index(of: name) else { return nil }
            let slot = state.table.slot(at: index)
            return directory(slot: slot, row: state.table.listing[index], in: &state)
        }
    }

    /// Directories that exist as nodes, with the names they have in the listing.
    var childDirectories: [(name: FileName, directory: Directory)] {
        state.withLock { state in
            state.table.children.values.compactMap { child in
                guard case .directory(let directory) = child.target, let index = child.index else { return nil }
                return (state.table.listing.name(at: index), directory)
            }
        }
    }

    /// Where it comes from, without secrets; nil for a directory that this program made.
    var address: String? {
        switch origin {
        case .remote(let url, _): url.masked
        case .manifest(let file, let path): (["links:" + file.path] + path.map(\.description)).joined(separator: "/")
        case .fixed: nil
        }
    }

    /// `user.skyfs.*` of the directory itself.
    var extendedAttributes: [(name: String, value: String)] {
        let failure = state.withLock { $0.failure }
        var result: [(name: String, value: String)] = []
        if let address { result.append(("user.skyfs.url", address)) }
        if let failure { result.append(("user.skyfs.error", failure.words)) }
        return result
    }

    /// `user.skyfs.*` of a file in it.
    func extendedAttributes(slot: UInt32) -> [(name: String, value: String)] {
        let (file, url): (RemoteFile?, HTTPURL?) = state.withLock { state in
            guard let child = state.table[slot], let row = state.table.entry(of: child) else { return (nil, nil) }
            if case .file(let file) = child.target { return (file, nil) }
            return (nil, self.url(of: row, in: state))
        }
        if let file { return file.extendedAttributes }
        return url.map { [("user.skyfs.url", $0.masked), ("user.skyfs.cached", "0")] } ?? []
    }
}

extension RemoteFile {
    var extendedAttributes: [(name: String, value: String)] {
        let (version, cached, failure) = state.withLock { ($0.version, $0.bytes?.presentBytes ?? 0, $0.lastFailure) }
        var result = [("user.skyfs.url", url.masked)]
        if let tag = version?.entityTag {
            result.append(("user.skyfs.etag", tag.isWeak ? "W/\(tag.opaque)" : tag.opaque))
        }
        result.append(("user.skyfs.cached", String(cached)))
        if let failure { result.append(("user.skyfs.error", failure.words)) }
        return result.map { (name: $0.0, value: $0.1) }
    }
}
