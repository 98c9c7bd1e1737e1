import Testing

@testable import skyfs

struct NearNamesTests {
    private let names = NearNames(["ttl", "timeout", "stall", "connections", "connect_timeout"])

    @Test func slipsAreFound() {
        #expect(names.near("ttk") == ["ttl"])
        #expect(names.near("timeuot") == ["timeout"])
        #expect(names.near("conections") == ["connections"])
    }

    @Test func beginningsAreFound() { #expect(names.near("connect") == ["connections", "connect_timeout"]) }

    @Test func strangersAreNot() {
        #expect(names.near("zebra").isEmpty)
        #expect(names.near(String(repeating: "x", count: 10_000)).isEmpty)
    }
}
