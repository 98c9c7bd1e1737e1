import Platform
import Testing

@testable import HTTP

/// Where a redirect may lead, by the address that was really connected.
struct TransferAddressTests {
    private let now = Instant(nanoseconds: 0)

    private func transfer() throws -> Transfer {
        let url = try HTTPURL.parse("http://a.example/").url
        return Transfer(
            id: TransferID(rawValue: 1), request: Request(.get, url, purpose: .demand), consumer: RecordingConsumer(),
            now: now)
    }

    /// - Returns: whether each hop in turn may be sent.
    private func hops(_ addresses: String...) throws -> [Bool] {
        let transfer = try transfer()
        let target = try HTTPURL.parse("http://b.example/").url
        return addresses.enumerated().map { number, address in
            if number > 0 { transfer.follow(target) }
            transfer.begin(now: now)
            return transfer.connected(to: address, now: now)
        }
    }

    @Test func aPublicSourceDoesNotLeadToAPrivateAddress() throws {
        #expect(try hops("8.8.8.8", "1.1.1.1", "127.0.0.1") == [true, true, false])
        #expect(try hops("2606:4700::1111", "::ffff:10.0.0.1") == [true, false])
        #expect(try hops("8.8.8.8", "169.254.169.254") == [true, false])
    }

    @Test func aPrivateSourceMay() throws {
        #expect(try hops("10.0.0.1", "127.0.0.1", "8.8.8.8", "192.168.0.1") == [true, true, true, true])
    }

    @Test func theSourceItselfMayHaveSeveralAddresses() throws {
        let transfer = try transfer()
        #expect(transfer.connected(to: "8.8.8.8", now: now))
        #expect(transfer.connected(to: "10.0.0.1", now: now))
        transfer.follow(try HTTPURL.parse("http://b.example/").url)
        #expect(transfer.connected(to: "127.0.0.1", now: now))
    }

    @Test func theRefusalIsToldWithTheAddress() throws {
        let transfer = try transfer()
        _ = transfer.connected(to: "8.8.8.8", now: now)
        transfer.follow(try HTTPURL.parse("http://b.example/").url)
        #expect(!transfer.connected(to: "127.0.0.1", now: now))
        #expect(transfer.failure == .refusedRedirect("from a public server to the private address 127.0.0.1"))
    }

    @Test func theOriginalIsTheSourceAgain() throws {
        let transfer = try transfer()
        _ = transfer.connected(to: "8.8.8.8", now: now)
        transfer.follow(try HTTPURL.parse("http://b.example/").url)
        transfer.returnToOriginal()
        #expect(transfer.url.text == "http://a.example/")
        #expect(transfer.connected(to: "8.8.8.8", now: now))
        transfer.follow(try HTTPURL.parse("http://b.example/").url)
        #expect(!transfer.connected(to: "127.0.0.1", now: now))
    }
}
