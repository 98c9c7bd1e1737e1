import FoundationEssentials
import Fuse
import Glibc
import HTTP
import Listings
import Platform
import Segments

/// The files `.skyfs/status` and `.skyfs/status.json`: reachable by name in the root, never listed, made at each open.
final class StatusReport: Sendable {
    static let directoryName: FileName = ".skyfs"
    static let directoryNode = NodeID(rawValue: 2)
    private static let textNode = NodeID(rawValue: 3)
    private static let jsonNode = NodeID(rawValue: 4)
    private static let names: [(FileName, NodeID)] = [("status", textNode), ("status.json", jsonNode)]

    private let context: MountContext
    private let root: Directory
    private let drops: [DropFolder]
    private let flights: [FlightTree]

    init(context: MountContext, root: Directory, drops: [DropFolder], flights: [FlightTree]) {
        self.context = context
        self.root = root
        self.drops = drops
        self.flights = flights
    }

    var directoryEntry: Entry { entry(Self.directoryNode) }

    func lookup(_ name: FileName, _ reply: consuming Reply) {
        guard let node = Self.names.first(where: { $0.0 == name })?.1 else { return reply.missing(entryTimeout: .zero) }
        reply.entry(entry(node))
    }

    private func entry(_ node: NodeID) -> Entry {
        Entry(
            node: node, attributes: attributes(node) ?? Attributes(kind: .file, inode: node.rawValue, permissions: 0),
            attributeTimeout: .zero, entryTimeout: context.options.ttl)
    }

    /// nil if the node is none of the reports. Sizes are 0: the text exists only once it is opened.
    func attributes(_ node: NodeID) -> Attributes? {
        switch node {
        case Self.directoryNode: context.attributes(ofDirectory: node.rawValue, modified: nil)
        case Self.textNode, Self.jsonNode:
            context.attributes(ofFile: node.rawValue, size: nil, modified: context.mountedAt)
        default: nil
        }
    }

    func open(_ node: NodeID) -> (any OpenFile)? {
        switch node {
        case Self.textNode: TextFile(text)
        case Self.jsonNode: TextFile(json)
        default: nil
        }
    }

    func openDirectory(_ reply: consuming Reply) {
        let listing = Listing(
            entries: Self.names.map {
                ListingEntry(name: $0.0, reference: "", kind: .file, size: .unknown, modified: nil)
            })
        let directory = Directory(
            context: context, node: Self.directoryNode, origin: .fixed, inode: Self.directoryNode.rawValue,
            modified: nil, parent: root, listing: listing)
        directory.open(reply)
    }

    // MARK: Contents

    private var snapshot: Snapshot {
        let http = context.client.statistics()
        let sources =
            root.address.map { [Snapshot.Source(name: "", url: $0, root)] }
            ?? root.childDirectories.map { child in
                Snapshot.Source(
                    name: child.name.description, url: child.directory.address ?? "", child.directory)
            }
        return Snapshot(
            version: context.options.version, pid: Int(getpid()),
            uptime: (Instant.now() - context.startedAt).inSeconds,
            sources: sources,
            memory: .init(limit: context.options.memory, used: context.budget.used),
            http: .init(
                requests: http.requests, bytesReceived: http.bytesReceived, connectionsOpened: http.connectionsOpened,
                running: http.running, queued: http.queued, retries: http.retries),
            drop: drops.map(DropReport.init), flights: flights.map(\.report),
            hosts: context.client.hostHealth().map {
                .init(
                    origin: "\($0.origin.scheme)://\($0.origin.host):\($0.origin.port)",
                    pausedFor: $0.pausedFor?.inSeconds, lastError: $0.lastError?.words)
            },
            openFiles: context.counters.openFiles.current,
            openDirectories: context.counters.openDirectories.current,
            directories: context.directories.count,
            skippedNames: context.directories.all.reduce(0) { sum, directory in
                sum + directory.state.withLock { $0.table.listing.skipped }
            },
            parkedReplies: context.counters.parkedReplies.current,
            fetches: context.counters.fetches.current)
    }

    private var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(snapshot)).map { Array($0) + [0x0A] } ?? []
    }

    private var text: [UInt8] { Array(snapshot.text.utf8) }

    struct Snapshot: Encodable {
        struct Source: Encodable {
            var name: String
            var url: String
            var state: String
            var error: String?

            init(name: String, url: String, _ directory: Directory?) {
                self.name = name
                self.url = url
                error = directory?.state.withLock { $0.failure }?.words
                state = error == nil ? "ok" : "failing"
            }
        }
        struct Memory: Encodable { var limit, used: Int64 }
        struct HTTP: Encodable {
            var requests: Int
            var bytesReceived: Int64
            var connectionsOpened, running, queued, retries: Int
        }
        struct Host: Encodable {
            var origin: String
            var pausedFor: Double?
            var lastError: String?
        }

        var version: String
        var pid: Int
        var uptime: Double
        var sources: [Source]
        var memory: Memory
        var http: HTTP
        var drop: [DropReport]
        var flights: [FlightsReportLine]
        var hosts: [Host]
        var openFiles, openDirectories, directories, skippedNames, parkedReplies, fetches: Int

        var text: String {
            var lines = ["skyfs \(version), up \(Int(uptime)) s"]
            for source in sources {
                let name = source.name.isEmpty ? "" : "\(source.name) = "
                lines.append("source  \(name)\(source.url)  \(source.error.map { "failing: \($0)" } ?? "ok")")
            }
            lines += drop.flatMap(\.lines)
            lines += flights.map(\.line)
            lines.append("memory  \(memory.used >> 20) of \(memory.limit >> 20) MiB")
            lines.append(
                "http    \(http.requests) requests, \(http.bytesReceived) bytes received, "
                    + "\(http.connectionsOpened) connections opened, \(http.running) running, \(http.queued) queued, "
                    + "\(http.retries) retries")
            for host in hosts where host.pausedFor != nil || host.lastError != nil {
                let pause = host.pausedFor.map { "paused for \(Int($0.rounded(.up))) s" }
                lines.append(
                    "host    \(host.origin)  \([pause, host.lastError].compactMap { $0 }.joined(separator: ", "))")
            }
            lines.append("open    \(openFiles) files, \(openDirectories) directories; \(parkedReplies) waiting")
            if skippedNames > 0 { lines.append("skipped \(skippedNames) names that no file can have") }
            return lines.joined(separator: "\n") + "\n"
        }
    }
}
