import Glibc

/// Where an IP address leads: to the public internet, or to this machine and its networks, where a stranger's redirect
/// must not send us (server-side request forgery).
enum AddressClass: Hashable, Sendable {
    case `public`
    /// Loopback, private, link-local, shared (RFC 6598), unique local and unspecified addresses, also mapped into IPv6.
    case `private`

    /// An address as libcurl prints it; what cannot be read counts as private.
    init(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(ipv4: UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 {
            self.init(ipv6: withUnsafeBytes(of: &six) { Array($0) })
        } else {
            self = .private
        }
    }

    private init(ipv4 address: UInt32) {
        let nets: [(UInt32, UInt32)] = [
            (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
            (0xAC10_0000, 12), (0xC0A8_0000, 16),
        ]
        self = nets.contains { address >> (32 - $0.1) == $0.0 >> (32 - $0.1) } ? .private : .public
    }

    private init(ipv6 bytes: [UInt8]) {
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        let isEmbedded = bytes[..<12].allSatisfy { $0 == 0 }
        if isMapped || isEmbedded {
            self.init(ipv4: bytes[12...].reduce(0) { $0 << 8 | UInt32($1) })
        } else {
            // fc00::/7 unique local, fe80::/10 link-local.
            self = bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80) ? .private : .public
        }
    }
}
