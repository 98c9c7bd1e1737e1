import Flights
import Testing

@Suite struct RequestLimitsTests {
    @Test func theServicesRules() {
        let limits = RequestLimits()
        #expect(limits.interval == .milliseconds(600) && limits.daily == 50 && limits.patience == .seconds(20))
        let midnight: Int64 = 1_766_505_600
        #expect(RequestLimits.day(at: midnight - 1) + 1 == RequestLimits.day(at: midnight))
    }
}
