import Platform
import Testing

@testable import skyfs

struct ProgressTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test func theRateIsThatOfTheLastSeconds() {
        var rate = TransferRate(now: at(0))
        #expect(rate.bytesPerSecond == nil)
        for second in 1...10 { rate.update(bytes: Int64(second) * 1000, now: at(Double(second))) }
        #expect(rate.bytesPerSecond == 1000)
        for second in 11...20 { rate.update(bytes: 10_000, now: at(Double(second))) }
        #expect(rate.bytesPerSecond == 0)
    }

    @Test func aNewBeginningCountsFromThere() {
        var rate = TransferRate(now: at(0))
        rate.update(bytes: 50_000, now: at(1))
        rate.update(bytes: 0, now: at(2))
        #expect(rate.bytesPerSecond == nil)
        rate.update(bytes: 300, now: at(3))
        #expect(rate.bytesPerSecond == 300)
    }

    @Test(
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1_048_575, "1.0 MiB"),
            (1_048_524, "1023.9 KiB"), (3 << 30, "3.0 GiB"), (Int64.max, "8.0 EiB"),
        ] as [(Int64, String)])
    func sizesAreWords(bytes: Int64, words: String) { #expect(Quantity.words(bytes) == words) }

    @Test(
        arguments: [
            (0, "0:00"), (4.2, "0:05"), (65, "1:05"), (3723, "1:02:03"), (1e12, "99:59:59"), (-5, "0:00"),
        ] as [(Double, String)])
    func timesAreClocks(seconds: Double, clock: String) { #expect(Quantity.clock(seconds: seconds) == clock) }

    @Test func theLineTellsAllAndFits() {
        let line = ProgressText.line("a.bin", sent: 5 << 20, total: 10 << 20, rate: 1_048_576)
        #expect(line == "a.bin   50% [==========          ] 5.0 MiB  1.0 MiB/s  0:05 left")
        #expect(ProgressText.line("e", sent: 0, total: 0, rate: nil) == "e  100% [====================] 0 bytes")
        #expect(ProgressText.line("e", sent: 9, total: 5, rate: 7).contains("100%"))
        #expect(!ProgressText.line("e", sent: 1, total: 5, rate: 0).contains("left"))
        let long = ProgressText.line(
            String(repeating: "東京", count: 60), sent: 1023 << 30, total: 1024 << 30, rate: 1000 * 1_048_576)
        #expect(TextWidth.columns(long) <= StatusLine.width)
    }
}
