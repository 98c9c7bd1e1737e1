import Testing

@testable import HTTP

struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-9/10", 0..<10, 10), ("bytes 5-5/*", 5..<6, nil), ("Bytes  5-9/10", 5..<10, 10),
        ("bytes\t0-0/1", 0..<1, 1),
        ("bytes 4294967290-4294967305/5368709120", 4_294_967_290..<4_294_967_306, 5_368_709_120),
        ("bytes 0-9223372036854775805/9223372036854775806", 0..<Int64.max - 1, Int64.max - 1),
    ])
    func satisfied(text: String, bytes: Range<Int64>, total: Int64?) {
        #expect(ContentRange(header: text) == .satisfied(bytes: bytes, total: total))
    }

    @Test(arguments: [("bytes */10", Int64(10)), ("bytes */0", 0)])
    func unsatisfied(text: String, total: Int64) {
        #expect(ContentRange(header: text) == .unsatisfied(total: total))
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "0-9/10", "bytes 0-9", "bytes=0-9/10", "bytes: 0-9/10", "items 0-9/10", "bytes 9-0/10",
        "bytes 0-10/10", "bytes 0-9/9", "bytes -9/10", "bytes 0-/10", "bytes 0-9/", "bytes /10", "bytes -/10",
        "bytes */*",
        "bytes */-1", "bytes */", "bytes 0-9/10/11", "bytes 0-9-10/11", "bytes 0 - 9/10", "bytes 0-9 /10",
        "bytes +0-9/10",
        "bytes 0-9/+10", "bytes 0x0-9/10", "bytes 0-9/10 extra", "bytes 0-9/10, bytes 0-9/10", "bytes ٠-٩/10",
        "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes 0-9/99999999999999999999",
        "bytes 0-9/9223372036854775807",
    ])
    func invalid(text: String) {
        #expect(ContentRange(header: text) == .invalid)
    }
}
