import Testing

@testable import Listings

struct EntryColumnsTests {
    private func columns(_ text: String) -> EntryColumns? { EntryColumns(Array(text.utf8)) }

    @Test(arguments: [
        ("02-Jan-2026 03:39  1234", ListingEntry.Size.exact(1234)), ("2026-01-02 03:39  512 ", .exact(512)),
        ("2026-01-02 03:39  1.2K", .approximate(1228)), ("2026-01-02 03:39  1.2K GZIP compressed", .approximate(1228)),
        ("2026-01-02 03:39  123M", .approximate(123 << 20)), ("2026-01-02 03:39  1.5 KiB", .approximate(1536)),
        ("2026-01-02 03:39  7 bytes", .exact(7)), ("2026-01-02 03:39    - ", .unknown),
        ("2026-01-02 03:39  12 files inside", .exact(12)), ("2026-01-02 03:39", .unknown),
        ("2026-01-02 03:39:00Z 5", .exact(5)), ("2026-01-02T03:39:00Z 5", .exact(5)),
        ("1.2 kb Fri, 02 Jan 2026 03:39:00 GMT", .approximate(1228)),
        ("02-Jan-2026 03:39  9999999999999999999", .unknown), ("02-Jan-2026 03:39  -5", .unknown),
        ("2026-01-02 03:39\u{A0}\u{A0}77", .exact(77)),
    ]) func sizes(text: String, size: ListingEntry.Size) {
        #expect(columns(text)?.size == size)
        #expect(columns(text)?.modified == (text.contains("02") ? 1_767_325_140 : nil))
    }

    @Test(arguments: [
        "", "   ", "1234", "see also", "12 34 56", "a 5 b 6", "K", ".", "-", "1/2/2026", "v1.2 notes", "3.5.1",
    ]) func textThatTellsNothing(text: String) {
        #expect(columns(text) == nil)
    }

    @Test(arguments: [
        "1/2/2026  3:04 PM  5", "28.10.2025  15:04  5", "2026-01-03 오후 3:04  5", "2026-01-02 13:39 PM 5",
        "2026-01-02 00:39 AM 5", "30-Feb-2026 03:39 5", "2026-13-02 03:39 5", "2026-01-02 24:00 5",
        "2026-01-32 03:39 5",
        "01-Jan-1970 00:00 5", "01-Jan-0001 00:00 5", "01-Jan-9999 00:00 5", "31-Foo-2026 99:99 5",
    ]) func datesThatAreNotBelieved(text: String) {
        #expect(columns(text)?.modified == nil)
        #expect(columns(text)?.size == .exact(5))
    }

    @Test(arguments: [
        "02-Jan-2026 03:39", "02Jan2026 03:39", "02/Jan/2026 03:39:00", "2026-01-02 03:39", "2026/01/02 03:39",
        "2026-01-02T03:39:00Z", "2026-01-02T03:39:00.123456789Z", "2026-01-02T05:39:00.5+02:00",
        "2026-01-01T22:39:00-05:00", "2026-01-02 04:39:00 +0100 CET", "2026-Jan-02 03:39:00", "02 Jan 2026 03:39:00",
        "Fri, 02 Jan 2026 03:39:00 GMT", "Fri Jan  2 03:39:00 2026", "Jan 2, 2026, 3:39:00 AM",
        "Jan 2, 2026 3:39:00 AM",
        "Friday, January 2, 2026  3:39 AM", "2026-01-02 3:39 am",
    ]) func dates(text: String) {
        #expect(columns(text)?.modified == 1_767_325_140)
        #expect(columns(text + "  77")?.modified == 1_767_325_140)
        #expect(columns(text + "  77")?.size == .exact(77))
    }

    @Test(arguments: [("12:05 AM", 300 as Int64), ("12:05 PM", 43500), ("1:05 pm", 47100)])
    func halvesOfTheDay(time: String, seconds: Int64) {
        #expect(columns("2026-01-02 \(time) 5")?.modified == 1_767_312_000 + seconds)
    }

    @Test func aTimeInProseMakesNoSize() {
        #expect(columns("meeting at 12:30 with 45 people")?.size == .unknown)
    }

    @Test(arguments: [
        (1971, 1, 1, 31_536_000 as Int64), (2000, 2, 29, 951_782_400), (2024, 12, 31, 1_735_603_200),
        (2026, 3, 1, 1_772_323_200), (2199, 12, 31, 7_258_032_000),
    ]) func calendar(year: Int, month: Int, day: Int, seconds: Int64) {
        #expect(ListingDate.seconds(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) == seconds)
    }

    @Test func leapDays() {
        #expect(ListingDate.seconds(year: 2100, month: 2, day: 29, hour: 0, minute: 0, second: 0) == nil)
        #expect(ListingDate.seconds(year: 2025, month: 2, day: 29, hour: 0, minute: 0, second: 0) == nil)
    }
}
