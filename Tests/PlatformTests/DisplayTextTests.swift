import Platform
import Testing

struct DisplayTextTests {
    @Test func whatIsShownIsBoundedAlsoWhereItGrows() {
        #expect(DisplayText.sanitized(String(repeating: "\u{1B}", count: 5000)).utf8.count == 4095)
        #expect(DisplayText.sanitized(String(repeating: "a", count: 5000)).utf8.count == 4096)
    }

    @Test func controlsAndTextDirectionAreReplaced() {
        #expect(DisplayText.sanitized("a\n\u{1B}[0m\u{202E}b\u{85}报") == "a\u{FFFD}\u{FFFD}[0m\u{FFFD}b\u{FFFD}报")
    }
}
