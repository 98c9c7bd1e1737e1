import Testing

@testable import skyfs

struct TextWidthTests {
    @Test(arguments: [("abc", 3), ("東京", 4), ("Größe", 5), ("…–", 2), ("👍🏽", 2), ("", 0), ("e\u{301}", 1)])
    func columnsAreCounted(text: String, columns: Int) { #expect(TextWidth.columns(text) == columns) }

    @Test(arguments: [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("東京都", 5, "東京…"), ("東京都", 4, "東…"), ("", 0, "")])
    func whatDoesNotFitIsCut(text: String, width: Int, cut: String) {
        #expect(TextWidth.cut(text, to: width) == cut)
        #expect(TextWidth.columns(cut) <= width)
    }
}
