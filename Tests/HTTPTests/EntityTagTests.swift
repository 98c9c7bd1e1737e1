import Testing

@testable import HTTP

struct EntityTagTests {
    @Test func strongAndWeak() {
        #expect(EntityTag(header: "\"a1-b2\"") == EntityTag(opaque: "\"a1-b2\"", isWeak: false))
        #expect(EntityTag(header: "W/\"a1\"") == EntityTag(opaque: "\"a1\"", isWeak: true))
        #expect(EntityTag(header: "w/\"a1\"")?.isWeak == true)
        #expect(EntityTag(header: "\"\"")?.opaque == "\"\"")
    }

    /// Unquoted, cut, two in one, and what could not go back as it came.
    @Test(arguments: [
        "", "\"", "a1", "W/", "W/a1", "\"a1", "a1\"", "'a1'", "\"a\"b\"", "\"a\",\"b\"", "\"a b\"", "\"a\u{7F}\"",
        "\"a\rb\"", "\"é\"", "W/\"a\"\"",
    ])
    func garbage(header: String) {
        #expect(EntityTag(header: header) == nil)
    }

    @Test func lengthIsBounded() {
        #expect(EntityTag(header: "\"" + String(repeating: "a", count: 1022) + "\"") != nil)
        #expect(EntityTag(header: "\"" + String(repeating: "a", count: 1023) + "\"") == nil)
    }
}
