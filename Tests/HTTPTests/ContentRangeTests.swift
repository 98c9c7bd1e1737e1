import Testing

@testable import HTTP

struct ContentRangeTests {
    @Test func whatIsMeantIsRead() {
        #expect(ContentRange(header: "bytes 0-9/10") == .satisfied(bytes: 0..<10, total: 10))
        #expect(ContentRange(header: "bytes 5-9/*") == .satisfied(bytes: 5..<10, total: nil))
        #expect(ContentRange(header: "Bytes */84") == .unsatisfied(total: 84))
        #expect(
            ContentRange(header: "bytes 5000000000-5000000001/6000000000")
                == .satisfied(bytes: 5_000_000_000..<5_000_000_002, total: 6_000_000_000))
    }

    @Test(arguments: [
        "bytes=0-9/10", "bytes 9-0/10", "bytes 0-10/10", "bytes 0-9", "0-9/10", "bytes -9/10", "bytes 0-/10",
        "bytes */*",
        "bytes 0-9/-10", "bytes 0-99999999999999999999/*", "items 0-9/10", "", "bytes", "bytes 0-9/10 20-29/30",
        "bytes 0-9223372036854775807/*",
    ])
    func whatContradictsItselfIsNot(text: String) { #expect(ContentRange(header: text) == .invalid) }
}
