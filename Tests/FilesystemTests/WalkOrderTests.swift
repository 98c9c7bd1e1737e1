import Platform
import Testing

@testable import Filesystem

struct WalkOrderTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)

    @Test func oneDirectoryListsNothingAhead() {
        var order = WalkOrder()
        #expect(order.next(after: 3, count: 100, now: Self.start) { _ in true }.isEmpty)
        #expect(!order.isWalk)
    }

    @Test func fromTheSecondInOrderOnTheNextAreListed() {
        var order = WalkOrder()
        _ = order.next(after: 0, count: 100, now: Self.start) { _ in true }
        #expect(order.next(after: 1, count: 100, now: Self.start) { _ in true } == Array(2..<10))
        #expect(order.isWalk)
        #expect(order.next(after: 2, count: 100, now: Self.start) { _ in true } == Array(10..<19))
    }

    @Test func filesInBetweenDoNotCount() {
        var order = WalkOrder()
        let isDirectory = { (row: Int) in row % 10 == 0 }
        _ = order.next(after: 0, count: 1000, now: Self.start, isDirectory: isDirectory)
        let ahead = order.next(after: 10, count: 1000, now: Self.start, isDirectory: isDirectory)
        #expect(ahead == [20, 30, 40, 50, 60, 70, 80, 90])
    }

    @Test func everyDirectoryIsListedAtMostOnceAndNoneIsLeftOut() {
        var order = WalkOrder()
        var listed: [Int] = []
        for row in 0..<300 { listed += order.next(after: row, count: 300, now: Self.start) { _ in true } }
        #expect(listed == Array(2..<300))
    }

    @Test func jumpsAndPausesAreNoWalk() {
        var order = WalkOrder()
        _ = order.next(after: 0, count: 100, now: Self.start) { _ in true }
        #expect(order.next(after: 5, count: 100, now: Self.start) { _ in true }.isEmpty)
        #expect(order.next(after: 4, count: 100, now: Self.start) { _ in true }.isEmpty)
        #expect(order.next(after: 5, count: 100, now: Self.start + .seconds(4)) { _ in true }.isEmpty)
        #expect(order.next(after: 6, count: 100, now: Self.start + .seconds(5)) { _ in true }.count == 8)
    }

    @Test func walkThatArrivesListsTheFirst() {
        var order = WalkOrder()
        #expect(order.begin(count: 100) { _ in true } == Array(0..<8))
        // The first one is opened; they are on their way already.
        #expect(order.begin(count: 100) { _ in true }.isEmpty)
    }
}
