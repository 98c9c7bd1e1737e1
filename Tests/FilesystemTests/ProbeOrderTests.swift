import Testing

@testable import Filesystem

struct ProbeOrderTests {
    @Test func oneQuestionAsksNothingAhead() {
        var order = ProbeOrder()
        #expect(order.next(after: 5, count: 100, isInexact: { _ in true }).isEmpty)
    }

    @Test func fromTheSecondInOrderOnTheNextAreAsked() {
        var order = ProbeOrder()
        _ = order.next(after: 0, count: 100) { _ in true }
        #expect(order.next(after: 1, count: 100) { _ in true } == 2..<10)
        #expect(order.next(after: 2, count: 100) { _ in true } == 10..<19)
    }

    @Test func everyRowIsAskedAtMostOnceAndNoneIsLeftOut() {
        var order = ProbeOrder()
        var asked: [Int] = []
        for index in 0..<300 { asked += Array(order.next(after: index, count: 300) { _ in true }) }
        #expect(asked == Array(2..<300))
    }

    @Test func askingTwiceForOneDoesNotBreakTheOrder() {
        var order = ProbeOrder()
        _ = order.next(after: 0, count: 100) { _ in true }
        #expect(order.next(after: 1, count: 100) { _ in true } == 2..<10)
        #expect(order.next(after: 1, count: 100) { _ in true }.isEmpty)
        #expect(order.next(after: 2, count: 100) { _ in true } == 10..<19)
    }

    @Test func aJumpStopsTheReadingAhead() {
        var order = ProbeOrder()
        _ = order.next(after: 0, count: 100) { _ in true }
        _ = order.next(after: 1, count: 100) { _ in true }
        #expect(order.next(after: 50, count: 100) { _ in true }.isEmpty)
        #expect(order.next(after: 20, count: 100) { _ in true }.isEmpty)
    }

    @Test func exactRowsInBetweenDoNotBreakTheOrder() {
        var order = ProbeOrder()
        let isInexact = { (index: Int) in index % 2 == 0 }
        _ = order.next(after: 0, count: 100, isInexact: isInexact)
        #expect(!order.next(after: 2, count: 100, isInexact: isInexact).isEmpty)
    }

    @Test func rowsThatTheKernelKnowsMeanwhileDoNotBreakTheOrder() {
        var order = ProbeOrder()
        _ = order.next(after: 0, count: 100) { _ in true }
        #expect(order.next(after: 1, count: 100) { _ in true } == 2..<10)
        #expect(order.next(after: 10, count: 100) { _ in true } == 11..<27)
        #expect(order.next(after: 28, count: 100) { _ in true }.isEmpty)
    }

    @Test func aRowGivenOutIsAheadUntilItIsReached() {
        var order = ProbeOrder()
        _ = order.next(after: 0, count: 100) { _ in true }
        #expect(!order.isAhead(1))
        _ = order.next(after: 1, count: 100) { _ in true }
        #expect(!order.isAhead(1))
        #expect(order.isAhead(2) && order.isAhead(9))
        #expect(!order.isAhead(10))
    }
}
