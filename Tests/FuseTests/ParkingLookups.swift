import Fuse
import Platform

/// A root directory in which every LOOKUP is parked.
final class ParkingLookups: Handler {
    let parked = Condition<[ParkedReply]>([])

    func lookup(parent: NodeID, name: FileName, reply: consuming Reply) {
        let reply = ParkedReply.park(reply) { _ in }
        parked.update { $0.append(reply) }
    }

    func attributes(node: NodeID, reply: consuming Reply) {
        reply.attributes(Attributes(kind: .directory, inode: 1, permissions: 0o755), timeout: .zero)
    }

    func forget(node: NodeID, count: UInt64) {}
    func open(node: NodeID, flags: Int32, reply: consuming Reply) { reply.fail(.noEntry) }
    func openDirectory(node: NodeID, reply: consuming Reply) { reply.fail(.noEntry) }
    func statistics(node: NodeID, reply: consuming Reply) { reply.statistics(FilesystemStatistics()) }
    func extendedAttribute(node: NodeID, name: String, room: Int, reply: consuming Reply) { reply.fail(.noData) }
    func extendedAttributeNames(node: NodeID, room: Int, reply: consuming Reply) { reply.fail(.noData) }
}
