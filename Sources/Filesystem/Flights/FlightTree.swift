import Flights
import Fuse
import HTTP
import Platform

/// The flights as directories: `FROM/TO/DATE.txt`. Looking around costs nothing; opening a file asks the service, unless an
/// answer that counts is kept. Any thread.
final class FlightTree: Branch {
    private struct State: Sendable {
        var cities = CityNumbers()
        /// What opened files turned out to be: size and date for `stat`.
        var opened: [FlightNode: Opened] = [:]
        var openedOrder: [FlightNode] = []
        /// Why the last opening of a file failed.
        var failures: [FlightNode: String] = [:]
    }

    private struct Opened: Sendable {
        var size: Int64
        /// Seconds since 1970.
        var fetched: Int64
    }

    /// For how many files size or failure is remembered: many days of many routes.
    private static let rememberedFiles = 4096

    private let desk: FlightDesk
    private let nodes: BranchNodes
    private let context: MountContext
    private let state = Lock(State())

    init(_ desk: FlightDesk, nodes: BranchNodes, context: MountContext) {
        self.desk = desk
        self.nodes = nodes
        self.context = context
    }

    func shutdown() { desk.shutdown() }

    /// For the status report.
    var report: FlightsReportLine { desk.report }

    // MARK: Nodes

    var rootEntry: Entry { entry(.root) }

    private func entry(_ node: FlightNode) -> Entry {
        Entry(
            node: nodes.node(node.number), attributes: attributes(node), attributeTimeout: .zero,
            entryTimeout: context.options.ttl)
    }

    private func attributes(_ node: FlightNode) -> Attributes {
        let inode = nodes.node(node.number).rawValue
        guard case .file = node else { return context.attributes(ofDirectory: inode, modified: nil) }
        let opened = state.withLock { $0.opened[node] }
        return context.attributes(
            ofFile: inode, size: opened?.size, modified: opened?.fetched ?? context.mountedAt)
    }

    private func node(_ node: NodeID) -> FlightNode? { FlightNode(number: nodes.number(node)) }

    func forget(node: NodeID, count: UInt64) {}

    func attributes(node: NodeID, reply: consuming Reply) {
        guard let node = self.node(node) else { return reply.fail(.stale) }
        reply.attributes(attributes(node), timeout: .zero)
    }

    // MARK: Names

    func lookup(parent: NodeID, name: FileName, reply: consuming Reply) {
        guard let parent = node(parent) else { return reply.fail(.stale) }
        // What cannot be a name of the tree needs no list of cities.
        if case .file = parent { return reply.fail(.notDirectory) }
        if case .route = parent {
            guard let file = FlightFileName(name), case .route(let from, let to) = parent else {
                return reply.missing(entryTimeout: .zero)
            }
            return reply.entry(entry(.file(from, to, file)))
        }
        withCities(reply) { [self] directory, reply in
            guard let found = child(of: parent, name, directory) else { return reply.missing(entryTimeout: .zero) }
            reply.entry(entry(found))
        }
    }

    private func child(of parent: FlightNode, _ name: FileName, _ directory: CityDirectory) -> FlightNode? {
        guard let entry = directory.entry(named: name) else { return nil }
        let isListed = directory.isListed(name)
        guard let number = state.withLock({ $0.cities.number(of: name, isListed: isListed) }) else { return nil }
        switch parent {
        case .root: return .city(number)
        case .city(let from):
            guard let origin = city(from, directory), !origin.isSameCity(as: entry) else { return nil }
            return .route(from, number)
        case .route, .file: return nil
        }
    }

    private func city(_ number: Int, _ directory: CityDirectory) -> CityDirectory.Entry? {
        state.withLock { $0.cities.name(number) }.flatMap(directory.entry(named:))
    }

    /// Goes on as soon as the cities are known, which they nearly always are.
    private func withCities(
        _ reply: consuming Reply, _ body: @escaping @Sendable (CityDirectory, consuming Reply) -> Void
    ) {
        if let known = desk.knownCities {
            body(known, reply)
            // Asks for a newer list if that is due.
            return desk.cities { _ in }
        }
        let parked = context.park(reply)
        desk.cities { [context] directory in
            guard let reply = context.take(parked) else { return }
            body(directory, reply)
        }
    }

    func openDirectory(node: NodeID, reply: consuming Reply) {
        guard let node = self.node(node) else { return reply.fail(.stale) }
        switch node {
        case .file: reply.fail(.notDirectory)
        case .route(let from, let to):
            let rows = desk.listedDates.map { date in
                let file = FlightFileName(date: date, format: .text)
                return (name: file.fileName, node: FlightNode.file(from, to, file))
            }
            opened(node, rows, reply)
        case .root, .city:
            withCities(reply) { [self] directory, reply in
                let rows = directory.entries.compactMap { entry -> (name: FileName, node: FlightNode)? in
                    let name = FileName(entry.name)
                    return child(of: node, name, directory).map { (name, $0) }
                }
                opened(node, rows, reply)
            }
        }
    }

    private func opened(_ node: FlightNode, _ rows: [(name: FileName, node: FlightNode)], _ reply: consuming Reply) {
        let entries = rows.map { (name: $0.name, entry: entry($0.node)) }
        context.counters.openDirectories.add(1)
        let counters = context.counters
        reply.openedDirectory(
            EntryList(own: entry(node), entries) { counters.openDirectories.add(-1) }, cache: false)
    }

    // MARK: Files

    func open(node: NodeID, flags: Int32, reply: consuming Reply) {
        guard let node = self.node(node) else { return reply.fail(.stale) }
        guard case .file(let from, let to, let name) = node else { return reply.fail(.isDirectory) }
        guard flags & 3 == 0 else { return reply.fail(.readOnly) }
        withCities(reply) { [self] directory, reply in
            guard let origin = city(from, directory), let destination = city(to, directory) else {
                return reply.fail(.noEntry)
            }
            let parked = context.park(reply)
            desk.flights(FlightQuery(from: origin.term, to: destination.term, date: name.date)) { [self] result in
                note(node, result)
                guard let reply = context.take(parked) else { return }
                switch result {
                case .failure(let failure): reply.fail(context.errnos.errno(for: failure))
                case .success(let answer):
                    let bytes = answer.bytes(
                        as: name.format, from: origin, to: destination, date: name.date, source: desk.address)
                    remember(node, Opened(size: Int64(bytes.count), fetched: answer.fetched))
                    reply.opened(TextFile(bytes), directIO: true, keepCache: false, noFlush: true)
                }
            }
        }
    }

    private func note(_ node: FlightNode, _ result: FlightDesk.FlightsResult) {
        state.withLock { state in
            if state.failures.count >= Self.rememberedFiles { state.failures = [:] }
            switch result {
            case .success(let answer): state.failures[node] = answer.staleReason
            case .failure(let failure): state.failures[node] = failure.words
            }
        }
    }

    private func remember(_ node: FlightNode, _ opened: Opened) {
        state.withLock { state in
            if state.opened.updateValue(opened, forKey: node) == nil { state.openedOrder.append(node) }
            if state.openedOrder.count > Self.rememberedFiles {
                state.opened[state.openedOrder.removeFirst()] = nil
            }
        }
    }

    // MARK: The rest

    func statistics(node: NodeID, reply: consuming Reply) { reply.statistics(FilesystemStatistics()) }

    func extendedAttribute(node: NodeID, name: String, room: Int, reply: consuming Reply) {
        guard name.hasPrefix("user.") else { return reply.fail(.notSupported) }
        guard let value = extendedAttributes(node).first(where: { $0.name == name })?.value else {
            return reply.fail(.noData)
        }
        reply.extendedAttribute(Array(value.utf8), room: room)
    }

    func extendedAttributeNames(node: NodeID, room: Int, reply: consuming Reply) {
        let names = extendedAttributes(node).reduce(into: [UInt8]()) { $0 += Array($1.name.utf8) + [0] }
        reply.extendedAttribute(names, room: room)
    }

    private func extendedAttributes(_ id: NodeID) -> [(name: String, value: String)] {
        var result = [("user.skyfs.url", desk.address)]
        if let node = node(id), let failure = state.withLock({ $0.failures[node] }) {
            result.append(("user.skyfs.error", failure))
        }
        return result
    }
}
