import Testing

@testable import HTTP

struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("a%20b", "a b"), ("a+b", "a+b"), ("%2520", "%20"), ("%", "%"), ("%4", "%4"),
        ("%4g", "%4g"),
        ("%%41", "%A"), ("%e4%BD%a0", "你"), ("100%", "100%"),
    ])
    func decodesOnce(text: String, expected: String) {
        #expect(PercentEncoding.decode(Array(text.utf8)[...]) == Array(expected.utf8))
    }

    @Test func everyByteSurvivesBothWays() {
        let bytes = [UInt8](0...255)
        let text = PercentEncoding.encodeSegment(bytes)
        #expect(PercentEncoding.decode(Array(text.utf8)[...]) == bytes)
        #expect(!text.contains("/") && !text.contains("?") && !text.contains(" "))
    }
}
