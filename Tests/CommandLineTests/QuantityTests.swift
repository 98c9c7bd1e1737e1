import Testing

@testable import skyfs

struct QuantityTests {
    @Test(arguments: [
        ("0", 0), ("4096", 4096), ("64K", 65_536), ("64k", 65_536), ("128M", 134_217_728), ("1.5G", 1_610_612_736),
        ("10GB", 10_737_418_240), ("2MiB", 2_097_152), ("1T", 1_099_511_627_776),
    ])
    func sizesAreRead(text: String, bytes: Int64) { #expect(Quantity.bytes(text) == bytes) }

    @Test(arguments: ["", "M", "-1", "1e9", "nan", "1.2.3", "12Q", "99999999999T", "0x10", " 5", "5 M", "１２"])
    func whatIsNoSizeIsRefused(text: String) { #expect(Quantity.bytes(text) == nil) }

    @Test(arguments: [
        ("30", Duration.seconds(30)), ("1.5s", .milliseconds(1500)), ("500ms", .milliseconds(500)),
        ("10m", .seconds(600)),
        ("2h", .seconds(7200)), ("1d", .seconds(86_400)), ("0", .zero),
    ])
    func timesAreRead(text: String, time: Duration) { #expect(Quantity.time(text) == time) }

    @Test(arguments: ["", "s", "-1s", "1y", "inf", "1e3", "9999999999999d"])
    func whatIsNoTimeIsRefused(text: String) { #expect(Quantity.time(text) == nil) }
}
