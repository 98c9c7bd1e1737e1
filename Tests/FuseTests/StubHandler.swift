import Fuse
import Platform

/// A small file system for tests: the root (1) with "file" (2), "folder" (3) and "parked" (4).
///
/// "file" holds `contents`; every read of "parked" and every LOOKUP of "late" is parked and waits for the test.
final class StubHandler: Handler {
    static let contents = Array("0123456789".utf8)
    static let changed: Int64 = 1_700_000_000

    struct Record {
        var forgotten: [UInt64: UInt64] = [:]
        var released: [UInt64] = []
        var parked: [ParkedReply] = []
        /// How many parked replies heard of an interrupt.
        var interrupts = 0
    }

    let record = Condition(Record())

    /// Waits for a parked read.
    func parkedReply() -> ParkedReply? {
        record.wait(until: { !$0.parked.isEmpty }, before: .now() + .seconds(20)) { $0.parked.removeFirst() }
    }

    func waitForInterrupt() -> Bool {
        record.wait(until: { $0.interrupts > 0 }, before: .now() + .seconds(20)) { _ in true } ?? false
    }

    static func entry(_ node: UInt64) -> Entry {
        Entry(
            node: NodeID(rawValue: node), attributes: attributes(node), attributeTimeout: .milliseconds(1500),
            entryTimeout: .seconds(60))
    }

    static func attributes(_ node: UInt64) -> Attributes {
        let isDirectory = [0, 1, 3].contains(node)
        var attributes = Attributes(
            kind: isDirectory ? .directory : .file, inode: 1000 + node, permissions: isDirectory ? 0o755 : 0o644)
        attributes.size = isDirectory ? 0 : node == 4 ? 1 << 20 : Int64(contents.count)
        attributes.modified = changed
        return attributes
    }

    func lookup(parent: NodeID, name: FileName, reply: consuming Reply) {
        switch name {
        case "file": reply.entry(Self.entry(2))
        case "folder": reply.entry(Self.entry(3))
        case "parked": reply.entry(Self.entry(4))
        case "missing": reply.missing(entryTimeout: .seconds(5))
        case "dropped": _ = consume reply
        case "late":
            let parked = ParkedReply.park(reply) { _ in }
            record.update { $0.parked.append(parked) }
        case "odd": reply.fail(Errno(rawValue: 4711))
        default: reply.fail(.noEntry)
        }
    }

    func forget(node: NodeID, count: UInt64) { record.update { $0.forgotten[node.rawValue, default: 0] += count } }

    func attributes(node: NodeID, reply: consuming Reply) {
        reply.attributes(Self.attributes(node.rawValue), timeout: .milliseconds(2500))
    }

    func open(node: NodeID, flags: Int32, reply: consuming Reply) {
        if node.rawValue == 4 {
            reply.opened(ParkingFile(record), directIO: true, keepCache: false)
        } else {
            reply.opened(StubFile(record), directIO: false, keepCache: true)
        }
    }

    func openDirectory(node: NodeID, reply: consuming Reply) {
        reply.openedDirectory(StubDirectory(record), cache: true)
    }

    func statistics(node: NodeID, reply: consuming Reply) {
        var statistics = FilesystemStatistics()
        statistics.blocks = 77
        reply.statistics(statistics)
    }

    func extendedAttribute(node: NodeID, name: String, room: Int, reply: consuming Reply) {
        guard name == "user.skyfs.url" else { return reply.fail(.noData) }
        reply.extendedAttribute(Array("http://x/".utf8), room: room)
    }

    func extendedAttributeNames(node: NodeID, room: Int, reply: consuming Reply) {
        reply.extendedAttribute(Array("user.skyfs.url\0".utf8), room: room)
    }
}

final class StubFile: OpenFile {
    private let record: Condition<StubHandler.Record>
    private let memory = Memory(StubHandler.contents)

    init(_ record: Condition<StubHandler.Record>) { self.record = record }

    func read(offset: Int64, size: Int, reply: consuming Reply) {
        let count = StubHandler.contents.count
        let start = min(Int(offset), count)
        let end = min(start + size, count)
        // In two slices where there is a middle, so both ways of answering run.
        let middle = (start + end) / 2
        guard end > start, let first = memory.slice(start..<middle), let second = memory.slice(middle..<end),
            let whole = memory.slice(start..<end)
        else { return reply.empty() }
        if first.count > 0 { reply.data(first, second) } else { reply.data(whole) }
    }

    func release() { record.update { $0.released.append(2) } }
}

final class ParkingFile: OpenFile {
    private let record: Condition<StubHandler.Record>

    init(_ record: Condition<StubHandler.Record>) { self.record = record }

    func read(offset: Int64, size: Int, reply: consuming Reply) {
        let record = record
        let parked = ParkedReply.park(reply) { _ in record.update { $0.interrupts += 1 } }
        record.update { $0.parked.append(parked) }
    }

    func release() { record.update { $0.released.append(4) } }
}

final class StubDirectory: OpenDirectory {
    private let record: Condition<StubHandler.Record>

    init(_ record: Condition<StubHandler.Record>) { self.record = record }

    func read(offset: Int64, listing: consuming DirectoryBuffer, reply: consuming Reply) {
        let names: [FileName] = [".", "..", "file", "no/name", "folder", "parked"]
        let nodes: [UInt64] = [0, 0, 2, 0, 3, 4]
        var index = Int(offset)
        while index < names.count {
            let isAdded =
                if listing.isPlus {
                    listing.append(name: names[index], entry: StubHandler.entry(nodes[index]), offset: Int64(index + 1))
                } else {
                    listing.append(
                        name: names[index], inode: 1000 + nodes[index],
                        kind: StubHandler.attributes(nodes[index]).kind, offset: Int64(index + 1))
                }
            if !isAdded { break }
            index += 1
        }
        reply.directory(listing)
    }

    func release() { record.update { $0.released.append(3) } }
}
