import Testing

@testable import Listings

struct JSONReaderTests {
    private func string(_ text: String) throws -> [UInt8] {
        var reader = JSONReader(Array(text.utf8))
        let string = try reader.string()
        try reader.finish()
        return string
    }

    @Test(arguments: [
        (#""a""#, "a"), (#" "" "#, ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u4e0A\u0026""#, "上&"),
        (#""\ud83d\ude00!""#, "😀!"), (#""\ud83d""#, "\u{FFFD}"), (#""\ude00x""#, "\u{FFFD}x"),
        (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""é上""#, "é上"), ("\"a\nb\"", "a\nb"),
    ]) func strings(text: String, value: String) throws {
        #expect(try string(text) == Array(value.utf8))
    }

    @Test func bytesOfAStringStayAsTheyAre() throws {
        var reader = JSONReader([0x22, 0x61, 0xE9, 0xFF, 0x00, 0x22])
        #expect(try reader.string() == [0x61, 0xE9, 0xFF, 0x00])
    }

    @Test(arguments: ["\"", "\"a", "\"\\", "\"\\u12", "\"\\u12x4\"", "\"\\ud83d\\u", "a", ""])
    func brokenStrings(text: String) {
        #expect(throws: ListingError.self) { try string(text) }
    }

    @Test(arguments: [
        ("0", 0 as Int64?), ("-5", -5), ("9223372036854775807", .max), ("9223372036854775808", nil), ("1.5", nil),
        ("1e3", nil),
    ]) func numbers(text: String, value: Int64?) throws {
        var reader = JSONReader(Array(text.utf8))
        #expect(try reader.kind() == .number)
        #expect(try reader.integer() == value)
        try reader.finish()
    }

    @Test(arguments: [
        "[]", "{}", "null", "true", " [ 1 , [ ] , { \"a\" : [ { } ] , \"b\" : null } , false , \"x\" ] ", "\u{FEFF}[1]",
    ]) func wholeDocumentsAreSkipped(text: String) throws {
        var reader = JSONReader(Array(text.utf8))
        try reader.skip()
        try reader.finish()
    }

    @Test(arguments: [
        "", " ", "[", "[1", "[1,", "[1 2]", "[,1]", "[1,]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{1:2}",
        "{\"a\" 1}", "]", "nul", "tru", "falsch", "[] x", "[]]", "+", "'a'",
    ]) func brokenDocuments(text: String) {
        #expect(throws: ListingError.self) {
            var reader = JSONReader(Array(text.utf8))
            try reader.skip()
            try reader.finish()
        }
    }

    @Test(arguments: ["[", "{\"a\":"]) func deepDocumentsAreRefused(opening: String) {
        var reader = JSONReader(Array(String(repeating: opening, count: 1_000_000).utf8))
        #expect(throws: ListingError.tooLarge) { try reader.skip() }
    }
}
