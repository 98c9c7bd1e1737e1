import Fuse
import HTTP
import Listings
import Platform

/// A directory that is there but shows no listing (403, or a page that is none): each name that somebody looks up costs one
/// question, kept for the TTL whatever the answer.
extension Directory {
    /// Names known to be missing, at most; a program that tries thousands of names must not fill the memory.
    private static let maximumMissingNames = 4096

    func lookUpUnlisted(_ name: FileName, _ parked: ParkedReply) {
        guard let base = state.withLock({ $0.base }) else { return fail(parked, .status(404)) }
        let path = (base.isDirectory ? base.path : base.path + "/") + PercentEncoding.encodeSegment(name.bytes)
        let url = base.replacing(path: path)
        let file = RemoteFile(
            context: context, url: url, inode: Directory.inode(of: url), size: nil, modified: nil, isDecided: false)
        file.probe { [self] outcome in
            let attributes = file.attributes
            let until = Instant.now() + context.options.ttl
            var failure: FileFailure?
            state.withLock { state in
                switch outcome {
                case .failed(.status(404)), .failed(.status(410)):
                    if state.missingNames.count >= Self.maximumMissingNames { state.missingNames = [:] }
                    state.missingNames[name] = until
                case .failed(let other): failure = other
                case .directory(let target):
                    add(ListingEntry(name: name, reference: target.path, kind: .directory), to: &state)
                case .file:
                    add(
                        ListingEntry(
                            name: name, reference: path, kind: .file,
                            size: attributes.isExact ? .exact(attributes.0.size) : .unknown,
                            modified: attributes.0.modified == 0 ? nil : attributes.0.modified), to: &state)
                }
            }
            if let failure { return fail(parked, failure) }
            finish(state.withLock { answer(for: name, in: &$0, now: .now()) }, name, parked)
        }
    }

    private func add(_ entry: ListingEntry, to state: inout State) {
        let known = state.table.listing
        state.table.replace(listing: Listing(entries: (0..<known.count).map { known[$0] } + [entry]))
    }
}
