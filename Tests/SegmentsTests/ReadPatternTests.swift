import Platform
import SeededRandom
import Testing

@testable import Segments

struct ReadPatternTests {
    private var reads = ReadPattern()
    private var now = Instant(nanoseconds: 0)

    private mutating func read(_ offset: Int64, _ length: Int64) -> ReadStream {
        now = now + .milliseconds(1)
        let finding = reads.note(offset..<offset + length, now: now)
        return reads.streams[finding.index]
    }

    @Test mutating func secondContiguousReadProvesAReader() {
        #expect(read(0, 128 * kib).isSequential == false)
        #expect(read(128 * kib, 128 * kib).isSequential)
    }

    @Test mutating func outOfOrderNeighboursProveAReaderOneReadLater() {
        #expect(read(128 * kib, 128 * kib).isSequential == false)
        #expect(read(0, 128 * kib).isSequential == false)
        #expect(read(256 * kib, 128 * kib).isSequential)
    }

    @Test mutating func readsOutOfOrderWithinAMebibyteBelongToTheReader() {
        _ = read(0, 128 * kib)
        let id = read(128 * kib, 128 * kib).id
        #expect(read(512 * kib, 128 * kib).id == id)
        #expect(read(256 * kib, 128 * kib).id == id)
        #expect(read(384 * kib, 128 * kib).cursor == 640 * kib)
    }

    @Test mutating func smallRandomReadsProveNothing() {
        var random = SplitMix(seed: 4)
        for _ in 0..<2000 {
            let offset = Int64(random.next() % 250_000) * 4096
            #expect(read(offset, 4096).isSequential == false)
        }
    }

    @Test mutating func aBurstOfRandomReadsDoesNotPushOutASequentialReader() {
        _ = read(0, 128 * kib)
        let id = read(128 * kib, 128 * kib).id
        for place in 1...10 { _ = read(Int64(place) * 50 * mib, 4096) }
        #expect(read(256 * kib, 128 * kib).id == id)
    }

    @Test mutating func fourInterleavedReadersAreRecognised() {
        var ids: [[UInt32]] = [[], [], [], []]
        for step in 0..<6 as Range<Int64> {
            for reader in 0..<4 {
                ids[reader].append(read(Int64(reader) * 100 * mib + step * 128 * kib, 128 * kib).id)
            }
        }
        for reader in ids { #expect(Set(reader).count == 1) }
        #expect(reads.streams.allSatisfy { $0.isSequential })
        #expect(reads.streams.indices.allSatisfy { !reads.hasLeft($0, now: now) })
    }

    @Test mutating func aReaderThatTurnedElsewhereHasLeft() {
        _ = read(0, 128 * kib)
        _ = read(128 * kib, 128 * kib)
        _ = read(500 * mib, 128 * kib)
        #expect(!reads.hasLeft(0, now: now))
        _ = read(500 * mib + 128 * kib, 128 * kib)
        #expect(reads.hasLeft(0, now: now))
        #expect(!reads.hasLeft(1, now: now))
    }

    @Test mutating func aHoleMovesTheFrontierBack() {
        _ = read(0, 128 * kib)
        _ = read(128 * kib, 128 * kib)
        reads.update(0) { $0.frontier = 10 * mib }
        reads.noteHole(20 * mib..<21 * mib)
        #expect(reads.streams[0].frontier == 10 * mib)
        reads.noteHole(0..<64 * kib)
        #expect(reads.streams[0].frontier == 10 * mib)
        reads.noteHole(4 * mib..<5 * mib)
        #expect(reads.streams[0].frontier == 4 * mib)
    }
}
