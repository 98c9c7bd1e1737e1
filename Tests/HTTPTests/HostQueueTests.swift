import Platform
import SeededRandom
import Testing

@testable import HTTP

struct HostQueueTests {
    private static func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
    private static func id(_ number: Int) -> TransferID { TransferID(rawValue: UInt64(number)) }

    /// A queue and what it admits at once, in numbers.
    private struct Host {
        var queue: HostQueue
        init(_ connections: Int = 8) { queue = HostQueue(connections: connections) }

        mutating func add(_ number: Int, _ purpose: Request.Purpose, resource: UInt64 = 0) {
            queue.enqueue(id(number), purpose, resource: resource)
        }
        mutating func admit(at milliseconds: Int64 = 0) -> [Int] {
            queue.admit(now: HostQueueTests.at(milliseconds)).map { Int($0.rawValue) }
        }
        mutating func end(_ number: Int) { queue.remove(id(number)) }
    }

    @Test func admitsUpToTheConnectionsInOrder() {
        var host = Host(3)
        for number in 1...5 { host.add(number, .demand) }
        #expect(host.admit() == [1, 2, 3])
        #expect(host.admit() == [])
        #expect(host.queue.waitingCount == 2)
        host.end(2)
        #expect(host.admit() == [4])
    }

    @Test func demandBeforeMetadataBeforePrefetch() {
        var host = Host(3)
        host.add(9, .metadata)
        #expect(host.admit() == [9])
        host.add(1, .prefetch)
        host.add(2, .metadata)
        host.add(3, .demand)
        host.add(4, .demand)
        #expect(host.admit() == [3, 4])
        host.end(3)
        host.end(4)
        #expect(host.admit() == [2, 1])
    }

    @Test func metadataIsNotStarvedByDemand() {
        var host = Host(2)
        for number in 1...6 { host.add(number, .demand) }
        #expect(host.admit() == [1, 2])
        host.add(10, .metadata)
        host.add(11, .metadata)
        host.end(1)
        #expect(host.admit() == [10], "the first free connection")
        host.end(2)
        #expect(host.admit() == [3], "one is under way: demand goes on")
    }

    @Test func whatIsAskedAheadGoesBehindTheMetadataThatSomebodyWaitsFor() {
        var host = Host(2)
        for number in 1...4 { host.add(number, .metadataAhead) }
        #expect(host.admit() == [1, 2])
        host.add(10, .metadata)
        host.add(20, .prefetch)
        host.end(1)
        #expect(host.admit() == [10])
        host.end(2)
        host.end(10)
        #expect(host.admit() == [3, 4])
        host.end(3)
        #expect(host.admit() == [20])
    }

    @Test func whatIsAskedAheadIsNotStarvedByDemand() {
        var host = Host(2)
        for number in 1...6 { host.add(number, .demand) }
        #expect(host.admit() == [1, 2])
        host.add(10, .metadataAhead)
        host.end(1)
        #expect(host.admit() == [10], "somebody may have come to wait for it")
    }

    @Test func withOneConnectionDemandGoesFirst() {
        var host = Host(1)
        host.add(1, .metadata)
        host.add(2, .demand)
        #expect(host.admit() == [2])
    }

    @Test func oneResourceLeavesAConnection() {
        var host = Host(4)
        for number in 1...6 { host.add(number, .demand, resource: 7) }
        #expect(host.admit() == [1, 2, 3])
        host.add(10, .prefetch, resource: 8)
        #expect(host.admit() == [10])
        host.end(1)
        #expect(host.admit() == [4])
    }

    @Test func aBlockedResourceDoesNotBlockThoseBehindIt() {
        var host = Host(3)
        for number in 1...4 { host.add(number, .prefetch, resource: 7) }
        host.add(5, .prefetch, resource: 8)
        #expect(host.admit() == [1, 2, 5])
    }

    @Test func withOneConnectionAResourceGetsIt() {
        var host = Host(1)
        host.add(1, .demand, resource: 7)
        #expect(host.admit() == [1])
    }

    @Test func silentTransfersDoNotCount() {
        var host = Host(2)
        for number in 1...4 { host.add(number, .demand) }
        #expect(host.admit(at: 0) == [1, 2])
        #expect(host.queue.nextChange(now: Self.at(0)) == Self.at(1000))
        #expect(host.admit(at: 999) == [])
        host.queue.noteByte(Self.id(1), at: Self.at(900))
        #expect(host.admit(at: 1000) == [3])
        #expect(host.queue.nextChange(now: Self.at(1000)) == Self.at(1900))
        #expect(host.admit(at: 1900) == [4])
    }

    @Test func evenSilentTransfersHaveALimit() {
        var host = Host(2)
        for number in 1...20 { host.add(number, .demand) }
        var admitted = 0
        for second in 0..<20 { admitted += host.admit(at: Int64(second) * 1000).count }
        #expect(admitted == 2 * HostQueue.hardLimit)
    }

    @Test func aSilentResourceDoesNotTakeAllOfTheHost() {
        var host = Host(2)
        for number in 1...20 { host.add(number, .demand, resource: 7) }
        for second in 0..<5 { #expect(host.admit(at: Int64(second) * 1000) == (second == 0 ? [1] : [])) }
        host.add(30, .demand, resource: 8)
        #expect(host.admit(at: 5000) == [30])
    }

    @Test func silentMetadataDoesNotStandInForOthers() {
        var host = Host(2)
        host.add(1, .metadata)
        #expect(host.admit(at: 0) == [1])
        host.add(2, .demand)
        host.add(3, .demand)
        host.add(4, .metadata)
        #expect(host.admit(at: 2000) == [4, 2])
    }

    @Test func aPauseHoldsAllBack() {
        var host = Host(2)
        host.queue.pause(until: Self.at(500))
        host.queue.pause(until: Self.at(300))
        host.add(1, .demand)
        #expect(host.admit(at: 499) == [])
        #expect(host.queue.nextChange(now: Self.at(100)) == Self.at(500))
        #expect(host.admit(at: 500) == [1])
    }

    @Test func multiplexedMetadataCountsAsOneConnection() {
        var host = Host(2)
        host.queue.isMultiplexed = true
        for number in 1...150 { host.add(number, .metadata) }
        #expect(host.admit().count == HostQueue.maximumStreams)
        #expect(host.queue.sharingIDs.count == HostQueue.maximumStreams)
        host.add(200, .demand)
        host.add(201, .demand)
        #expect(host.admit() == [200])
    }

    @Test func removedWhileWaiting() {
        var host = Host(1)
        host.add(1, .demand)
        for (number, purpose) in [(2, Request.Purpose.demand), (3, .metadata), (4, .prefetch)] {
            host.add(number, purpose)
        }
        #expect(host.admit() == [1])
        for number in [2, 3, 4] { host.end(number) }
        #expect(host.queue.waitingCount == 0 && !host.queue.isIdle)
        host.end(1)
        #expect(host.queue.isIdle)
        #expect(host.queue.nextChange(now: Self.at(0)) == nil)
    }

    @Test func aLimitOfZeroStillAdmits() {
        var host = Host(0)
        host.add(1, .demand)
        #expect(host.admit() == [1])
    }

    /// Whatever comes, the limits hold and everything is admitted in the end, each once.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func randomOperations(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let connections = Int.random(in: 1...6, using: &random)
        var host = Host(connections)
        host.queue.isMultiplexed = Bool.random(using: &random)
        var running: [Int: (resource: UInt64, isShared: Bool)] = [:]
        var waiting: [Int: (resource: UInt64, isShared: Bool)] = [:]
        var (now, number, admitted): (Int64, Int, Set<Int>) = (0, 0, [])
        for _ in 0..<400 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                number += 1
                let purpose: Request.Purpose = [.demand, .metadata, .prefetch].randomElement(using: &random) ?? .demand
                let resource = purpose == .metadata ? 0 : UInt64.random(in: 0...3, using: &random)
                host.add(number, purpose, resource: resource)
                waiting[number] = (resource, purpose == .metadata && host.queue.isMultiplexed)
            case 2:
                if let ended = running.keys.sorted().randomElement(using: &random) {
                    host.end(ended)
                    running[ended] = nil
                }
            case 3: now += Int64.random(in: 0...700, using: &random)
            default:
                for id in running.keys where Bool.random(using: &random) {
                    host.queue.noteByte(Self.id(id), at: Self.at(now))
                }
            }
            for id in host.admit(at: now) {
                #expect(admitted.insert(id).inserted)
                running[id] = waiting.removeValue(forKey: id)
            }
            #expect(running.values.count { !$0.isShared } <= HostQueue.hardLimit * connections)
            for resource in 1...3 as ClosedRange<UInt64> where connections > 1 {
                #expect(running.values.count { $0.resource == resource } <= connections - 1)
            }
        }
        while !waiting.isEmpty {
            for id in running.keys { host.end(id) }
            running = [:]
            let next = host.admit(at: now)
            if next.isEmpty {
                Issue.record("waiting forever")
                return
            }
            for id in next { running[id] = waiting.removeValue(forKey: id) }
        }
    }
}
