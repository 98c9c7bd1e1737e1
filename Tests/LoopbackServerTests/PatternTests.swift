import LoopbackServer
import Testing

@Suite struct PatternTests {
    /// Around the ends of the stored block, and far out.
    @Test(arguments: [0..<0, 0..<1000, 1_048_600..<1_048_900, 250..<3_000_000, 7_000_000_000_000..<7_000_000_001_000])
    func everyByteIsItsOffsetModulo251(_ range: Range<Int64>) {
        let bytes = Pattern.bytes(range)
        #expect(bytes.count == range.count)
        #expect(zip(range, bytes).allSatisfy { UInt8($0 % 251) == $1 })
    }
}
