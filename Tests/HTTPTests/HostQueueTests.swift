import Platform
import Testing

@testable import HTTP

struct HostQueueTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private func id(_ number: UInt64) -> TransferID { TransferID(rawValue: number) }

    @Test func neverMoreThanTheHostsConnections() {
        var queue = HostQueue(connections: 4)
        for number in 0..<10 { queue.enqueue(id(UInt64(number)), .metadata, resource: 0) }
        #expect(queue.admit(now: start).count == 4)
        #expect(queue.admit(now: start).isEmpty)
        queue.remove(id(0))
        #expect(queue.admit(now: start).count == 1)
    }

    @Test func peopleComeBeforePrefetch() {
        var queue = HostQueue(connections: 2)
        queue.enqueue(id(1), .prefetch, resource: 0)
        queue.enqueue(id(2), .metadata, resource: 0)
        queue.enqueue(id(3), .demand, resource: 0)
        #expect(queue.admit(now: start) == [id(3), id(2)])
    }

    @Test func oneResourceLeavesAConnectionToOthers() {
        var queue = HostQueue(connections: 4)
        for number in 0..<6 { queue.enqueue(id(UInt64(number)), .demand, resource: 7) }
        queue.enqueue(id(9), .demand, resource: 8)
        #expect(queue.admit(now: start) == [id(0), id(1), id(2), id(9)])
    }

    @Test func silentTransfersStopCountingButNotWithoutLimit() {
        var queue = HostQueue(connections: 2)
        for number in 0..<20 { queue.enqueue(id(UInt64(number)), .metadata, resource: 0) }
        var now = start
        var admitted = queue.admit(now: now).count
        for _ in 0..<10 {
            now = now + .seconds(2)
            admitted += queue.admit(now: now).count
        }
        #expect(admitted == 8)
    }

    @Test func aByteMakesATransferCountAgain() {
        var queue = HostQueue(connections: 1)
        queue.enqueue(id(1), .metadata, resource: 0)
        queue.enqueue(id(2), .metadata, resource: 0)
        #expect(queue.admit(now: start) == [id(1)])
        let later = start + .seconds(2)
        queue.noteByte(id(1), now: later)
        #expect(queue.admit(now: later).isEmpty)
        #expect(queue.nextChange(now: later) == later + HostQueue.silence)
    }

    @Test func aPauseHoldsEverything() {
        var queue = HostQueue(connections: 4)
        queue.pause(until: start + .seconds(5))
        queue.enqueue(id(1), .demand, resource: 0)
        #expect(queue.admit(now: start).isEmpty)
        #expect(queue.nextChange(now: start) == start + .seconds(5))
        #expect(queue.admit(now: start + .seconds(5)) == [id(1)])
    }

    @Test func streamsOfOneConnectionCountOnce() {
        var queue = HostQueue(connections: 2)
        queue.isMultiplexed = true
        for number in 0..<200 { queue.enqueue(id(UInt64(number)), .metadata, resource: 0) }
        #expect(queue.admit(now: start).count == HostQueue.maximumStreams)
        queue.enqueue(id(900), .demand, resource: 3)
        #expect(queue.admit(now: start) == [id(900)])
    }
}
