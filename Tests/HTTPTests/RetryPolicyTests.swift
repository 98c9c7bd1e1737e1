import Platform
import Testing

@testable import HTTP

struct RetryPolicyTests {
    private var policy = RetryPolicy(
        backoff: Backoff(first: .seconds(1), limit: .seconds(4)), maximumRetries: 3)

    @Test(arguments: [
        TransferError.notConnected(""), .stalled, .cut(received: 5), .noAnswer(""), .other(""),
    ])
    func passingFaultsAreRepeated(error: TransferError) {
        var policy = policy
        #expect(policy.pause(after: error, random: 0, progressed: false) == .milliseconds(500))
        #expect(policy.pause(after: error, random: 0, progressed: false) == .seconds(1))
        #expect(policy.pause(after: error, random: 0.5, progressed: false) == .seconds(3))
        #expect(policy.pause(after: error, random: 0, progressed: false) == nil)
    }

    @Test(arguments: [
        TransferError.cancelled, .notResolved(""), .tls(""), .timedOut, .badHead(""), .tooManyRedirects,
        .refusedRedirect(""), .refusedRequest(""), .tooLarge,
    ])
    func otherFaultsAreNot(error: TransferError) {
        var policy = policy
        #expect(policy.pause(after: error, random: 0, progressed: true) == nil)
    }

    @Test func progressForgivesEarlierFaults() {
        var policy = policy
        for _ in 0..<3 { _ = policy.pause(after: .stalled, random: 0, progressed: false) }
        #expect(policy.pause(after: .stalled, random: 0, progressed: true) == .milliseconds(500))
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func passingStatuses(status: Int) {
        var policy = policy
        #expect(policy.pause(afterStatus: status, retryAfter: nil, random: 0) == .milliseconds(500))
        #expect(policy.pause(afterStatus: status, retryAfter: .seconds(20), random: 0) == .seconds(20))
        #expect(policy.pause(afterStatus: status, retryAfter: .zero, random: 0) == .seconds(2))
        #expect(policy.pause(afterStatus: status, retryAfter: .seconds(20), random: 0) == nil)
    }

    @Test(arguments: [200, 206, 301, 400, 401, 403, 404, 405, 410, 412, 416, 501, 505])
    func otherStatuses(status: Int) {
        var policy = policy
        #expect(policy.pause(afterStatus: status, retryAfter: .seconds(1), random: 0) == nil)
    }
}
