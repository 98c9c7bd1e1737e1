import Fuse
import HTTP
import Platform
import Segments

/// What every part of one mount shares. Immutable; its parts guard themselves.
final class MountContext: Sendable {
    let options: FilesystemOptions
    let client: HTTPClient
    let log: Log
    let budget: MemoryBudget
    let errnos: ErrnoMapping
    let traits = HostTraits()
    let directories = DirectoryTable()
    let files = FileRegistry()
    let counters = Counters()
    /// Parses listings: CPU work that neither a FUSE worker nor the network thread should do.
    let work: SerialQueue
    /// Gives large late replies.
    let replies: SerialQueue
    /// Seconds since 1970; the date of directories for which no server gave one.
    let mountedAt: Int64
    let startedAt = Instant.now()

    init(options: FilesystemOptions, client: HTTPClient, log: Log, mountedAt: Int64) throws(Errno) {
        self.options = options
        self.client = client
        self.log = log
        self.mountedAt = mountedAt
        budget = MemoryBudget(limit: options.memory)
        errnos = ErrnoMapping(forbiddenIsMissing: options.forbiddenIsMissing, log: log)
        work = try SerialQueue(name: "work")
        replies = try SerialQueue(name: "replies")
    }

    /// What one file's prefetch keeps within: a connection of the host stays free for others.
    var limits: SegmentLimits {
        SegmentLimits(memory: options.memory, maximumConnections: max(1, options.connectionsPerHost - 1))
    }

    /// Parks a reply of a namespace operation (lookup, open, readdir, getattr): a signal ends the wait, not the work.
    func park(_ reply: consuming Reply) -> ParkedReply {
        park(reply) { _ in }
    }

    /// Parks a reply that a signal ends with EINTR, but not before the request is 0.8 s old: programs with interval
    /// timers get signals all the time, and answering those at once would make every slow operation fail.
    /// - Parameter abandoned: told when the wait ends that way.
    func park(_ reply: consuming Reply, abandoned: @escaping @Sendable (ParkedReply) -> Void) -> ParkedReply {
        counters.parkedReplies.add(1)
        return ParkedReply.park(reply) { [self] parked in
            let delay = max(parked.since + Self.interruptDelay - Instant.now(), .zero)
            _ = client.schedule(after: delay) { [self] in
                guard let reply = take(parked) else { return }
                abandoned(parked)
                reply.fail(.interrupted)
            }
        }
    }

    /// Parks a reply that no signal ends: of something that is done already, as long as the local disk needs.
    func hold(_ reply: consuming Reply) -> ParkedReply {
        counters.parkedReplies.add(1)
        return ParkedReply.park(reply) { _ in }
    }

    /// The reply of a parked request, to the first who asks.
    func take(_ parked: ParkedReply) -> Reply? {
        guard let reply = parked.take() else { return nil }
        counters.parkedReplies.add(-1)
        return reply
    }

    private static let interruptDelay = Duration.milliseconds(800)

    /// Attributes of a file as this mount shows it. An unknown size is shown as 0.
    func attributes(ofFile inode: UInt64, size: Int64?, modified: Int64?) -> Attributes {
        var attributes = Attributes(kind: .file, inode: inode, permissions: 0o444 & ~options.umask)
        attributes.size = size ?? 0
        attributes.modified = modified ?? 0
        attributes.user = options.user
        attributes.group = options.group
        return attributes
    }

    func attributes(ofDirectory inode: UInt64, modified: Int64?) -> Attributes {
        var attributes = Attributes(kind: .directory, inode: inode, permissions: 0o555 & ~options.umask)
        attributes.modified = modified ?? mountedAt
        attributes.user = options.user
        attributes.group = options.group
        return attributes
    }

    /// An entry of which the listing does not tell whether it is a file or a directory.
    func attributes(ofUndecided inode: UInt64) -> Attributes {
        Attributes(kind: .undecided, inode: inode, permissions: 0)
    }
}
