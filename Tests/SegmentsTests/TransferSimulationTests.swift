import Platform
import SeededRandom
import Testing

@testable import Segments

/// Whole transfers on a virtual clock.
struct TransferSimulationTests {
    private let distant = TransferSimulation.Network(roundTrip: .milliseconds(40), ratePerConnection: 20e6)

    @Test func distantThrottledServerIsReadOverManyConnections() throws {
        var simulation = TransferSimulation(
            size: 256 * mib, network: distant, readers: [.init(next: 0, end: 256 * mib)])
        simulation.open()
        simulation.run()
        let time = try #require(simulation.readers[0].finishedAt)
        #expect(time <= Instant(nanoseconds: 2_600_000_000))
        #expect(simulation.mostTransfers == 7)
        #expect(simulation.bytesReceived == 256 * mib)
        #expect(simulation.segments.learnedConnections == 7)
        #expect(simulation.mostReserved <= 128 * mib)
    }

    @Test func nextFileOfTheHostStartsWithWhatWasLearned() throws {
        var simulation = TransferSimulation(
            size: 256 * mib, network: distant, readers: [.init(next: 0, end: 256 * mib)])
        simulation.segments.learnedConnections = 7
        simulation.open()
        simulation.run()
        let time = try #require(simulation.readers[0].finishedAt)
        #expect(time <= Instant(nanoseconds: 2_450_000_000))
    }

    /// The bytes per second are the same over any number of connections.
    @Test(arguments: [1.5e9, 300e6, 12e6])
    func sharedLineIsReadOverOneConnection(rate: Double) throws {
        let size = Int64(min(rate * 3, 1e9)) / mib * mib
        let network = TransferSimulation.Network(
            roundTrip: .microseconds(200), ratePerConnection: rate, totalRate: rate)
        var simulation = TransferSimulation(size: size, network: network, readers: [.init(next: 0, end: size)])
        simulation.open()
        simulation.run()
        let time = try #require(simulation.readers[0].finishedAt)
        #expect((time - Instant(nanoseconds: 0)).inSeconds <= 1.05 * Double(size) / rate + 0.005)
        #expect(simulation.segments.learnedConnections == 1)
        #expect(simulation.bytesReceived == size)
        #expect(simulation.requests.count <= 16 + Int(size / (24 * mib)))
    }

    /// A kernel with 16 MiB of read-ahead asks for more than is on the way; still one connection at a time.
    @Test func largeReadAheadOnAFastLineStaysOnOneConnection() throws {
        let network = TransferSimulation.Network(
            roundTrip: .microseconds(200), ratePerConnection: 1.5e9, totalRate: 1.5e9)
        var simulation = TransferSimulation(
            size: 1024 * mib, network: network,
            readers: [.init(next: 0, end: 1024 * mib, length: mib, depth: 16)])
        simulation.open()
        simulation.run()
        let time = try #require(simulation.readers[0].finishedAt)
        #expect((time - Instant(nanoseconds: 0)).inSeconds <= 1.05 * Double(1024 * mib) / 1.5e9 + 0.005)
        #expect(simulation.segments.learnedConnections == 1)
        #expect(simulation.bytesReceived == 1024 * mib)
        #expect(simulation.requests.count <= 64)
    }

    @Test func largeReadAheadOnADistantServerUsesManyConnections() throws {
        var simulation = TransferSimulation(
            size: 256 * mib, network: distant,
            readers: [.init(next: 0, end: 256 * mib, length: mib, depth: 16)])
        simulation.open()
        simulation.run()
        let time = try #require(simulation.readers[0].finishedAt)
        #expect(time <= Instant(nanoseconds: 2_600_000_000))
        #expect(simulation.bytesReceived == 256 * mib)
    }

    @Test func memorySmallerThanTheFileNeverStalls() throws {
        let network = TransferSimulation.Network(
            roundTrip: .microseconds(200), ratePerConnection: 1e9, totalRate: 1e9)
        var simulation = TransferSimulation(
            size: 512 * mib, network: network, readers: [.init(next: 0, end: 512 * mib)], memory: 16 * mib)
        simulation.open()
        simulation.run()
        let time = try #require(simulation.readers[0].finishedAt)
        #expect((time - Instant(nanoseconds: 0)).inSeconds <= 0.62)
        #expect(simulation.bytesReceived == 512 * mib)
        #expect(simulation.mostReserved <= 16 * mib)
    }

    @Test func twoReadersOfOneColdFileFetchEachByteOnce() {
        var simulation = TransferSimulation(
            size: 64 * mib, network: distant,
            readers: [.init(next: 0, end: 64 * mib), .init(next: 0, end: 64 * mib)])
        simulation.open()
        simulation.run()
        #expect(simulation.bytesReceived == 64 * mib)
    }

    @Test func twoReadersFarApartBothGetAWindow() throws {
        var simulation = TransferSimulation(
            size: 256 * mib, network: distant,
            readers: [.init(next: 0, end: 100 * mib), .init(next: 128 * mib, end: 228 * mib)])
        simulation.open()
        simulation.run()
        let last = try #require(simulation.readers.compactMap(\.finishedAt).max())
        #expect((last - Instant(nanoseconds: 0)).inSeconds <= 2.4)
        #expect(simulation.bytesReceived <= 256 * mib)
    }

    @Test func slowReaderKeepsASmallWindow() {
        var simulation = TransferSimulation(
            size: 256 * mib, network: distant, readers: [.init(next: 0, end: 12 * mib, speed: 1e6)])
        simulation.open()
        simulation.run()
        #expect(simulation.bytesReceived <= 15 * mib)
        #expect(simulation.mostReserved <= 18 * mib)
        #expect(simulation.requests.count <= 20)
    }

    @Test func smallHeadsOfManyFilesStaySmall() {
        var total: Int64 = 0
        for _ in 0..<50 {
            var simulation = TransferSimulation(
                size: 20 * mib, network: distant, readers: [.init(next: 0, end: 4 * kib, length: 16 * kib)])
            simulation.open()
            simulation.run()
            total += simulation.requests.reduce(0) { $0 + Int64($1.count) }
        }
        #expect(total <= 8 * mib)
    }

    @Test func randomReadsCostOneRoundTripAndLittleMore() {
        var random = SplitMix(seed: 7)
        var simulation = TransferSimulation(size: 1024 * mib, network: distant, readers: [])
        simulation.open()
        var times: [Double] = []
        for _ in 0..<200 {
            let offset = Int64(random.next() % 262_144) * 4096
            let start = simulation.now
            simulation.readers = [.init(next: offset, end: offset + 4096, length: 4096, depth: 1)]
            simulation.run()
            times.append((simulation.now - start).inSeconds)
        }
        #expect(simulation.bytesReceived <= 200 * 64 * kib)
        #expect(times.sorted()[100] <= 0.046)
    }
}
