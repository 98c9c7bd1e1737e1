import Platform
import Testing

@testable import LoopbackServer

@Suite struct RelayPipeTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
    private func bytes(_ count: Int) -> RelayPipe.Item { .bytes([UInt8](repeating: 7, count: count)[...]) }

    @Test func bytesArriveOneDelayLater() {
        var pipe = RelayPipe(delay: .milliseconds(20), bytesPerSecond: nil, opens: at(0))
        #expect(pipe.nextDue == nil)
        pipe.put(bytes(10), at: at(5))
        #expect(pipe.nextDue == at(25))
        #expect(pipe.item(at: at(24)) == nil)
        #expect(pipe.item(at: at(25)) == bytes(10))
        pipe.removeBytes(4)
        #expect(pipe.item(at: at(25)) == bytes(6))
        pipe.removeBytes(6)
        #expect(pipe.item(at: at(25)) == nil)
    }

    @Test func nothingPassesBeforeTheLinkIsOpen() {
        var pipe = RelayPipe(delay: .milliseconds(20), bytesPerSecond: nil, opens: at(40))
        pipe.put(bytes(1), at: at(0))
        #expect(pipe.nextDue == at(60))
    }

    @Test func piecesAreSentOneAfterAnotherAtTheRate() {
        var pipe = RelayPipe(delay: .milliseconds(10), bytesPerSecond: 1_000_000, opens: at(0))
        #expect(pipe.pieceSize == 20_000)
        var dues: [Instant?] = []
        for _ in 0..<3 { pipe.put(bytes(20_000), at: at(0)) }
        for _ in 0..<3 {
            dues.append(pipe.nextDue)
            pipe.removeBytes(20_000)
        }
        // The link was idle meanwhile: what it did not carry then is lost.
        pipe.put(bytes(20_000), at: at(1000))
        dues.append(pipe.nextDue)
        #expect(dues == [at(30), at(50), at(70), at(1030)])
    }

    @Test func endsAndResetsKeepTheirPlace() {
        var pipe = RelayPipe(delay: .milliseconds(1), bytesPerSecond: 1000, opens: at(0))
        pipe.put(bytes(10), at: at(0))
        pipe.put(.end, at: at(0))
        pipe.put(.reset, at: at(2))
        #expect(pipe.item(at: at(11)) == bytes(10))
        pipe.removeBytes(10)
        #expect(pipe.item(at: at(11)) == .end)
        pipe.removeItem()
        #expect(pipe.item(at: at(11)) == .reset)
        pipe.removeItem()
        #expect(pipe.nextDue == nil)
    }

    @Test(arguments: [(nil, 16 << 20), (20_000_000, 1 << 20), (100_000_000, 4_000_000)] as [(Int64?, Int)])
    func whatIsQueuedIsBounded(_ rate: Int64?, _ limit: Int) {
        var pipe = RelayPipe(delay: .milliseconds(20), bytesPerSecond: rate, opens: at(0))
        var queued = 0
        while pipe.hasRoom, queued < 1 << 30 {
            pipe.put(bytes(pipe.pieceSize), at: at(0))
            queued += pipe.pieceSize
        }
        #expect((limit..<limit + pipe.pieceSize).contains(queued))
        pipe.removeBytes(pipe.pieceSize)
        #expect(pipe.hasRoom)
    }

    /// The order survives the moving of what is left.
    @Test func manyItemsComeOutInOrder() {
        var pipe = RelayPipe(delay: .zero, bytesPerSecond: nil, opens: at(0))
        var expected = 0
        for number in 0..<1000 {
            pipe.put(.bytes([UInt8(number % 251)]), at: at(0))
            if number % 3 == 2 {
                for _ in 0..<2 {
                    #expect(pipe.item(at: at(0)) == .bytes([UInt8(expected % 251)]))
                    pipe.removeBytes(1)
                    expected += 1
                }
            }
        }
        while let item = pipe.item(at: at(0)) {
            #expect(item == .bytes([UInt8(expected % 251)]))
            pipe.removeBytes(1)
            expected += 1
        }
        #expect(expected == 1000)
    }
}
