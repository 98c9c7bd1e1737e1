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

    /// Network and prefix length: "this host", private, shared, loopback, link-local, private, private, benchmarks.
    private static let privateNets: [(UInt32, UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
        (0xAC10_0000, 12), (0xC0A8_0000, 16), (0xC612_0000, 15),
    ]

    private init(ipv4 address: UInt32) {
        self = Self.privateNets.contains { address >> (32 - $0.1) == $0.0 >> (32 - $0.1) } ? .private : .public
    }

    private init(ipv6 bytes: [UInt8]) {
        if let embedded = Self.embeddedIPv4(bytes) {
            self.init(ipv4: embedded.reduce(0) { $0 << 8 | UInt32($1) })
        } else {
            // fc00::/7 unique local; fe80::/10 link-local and fec0::/10, its predecessor for sites.
            self = bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0x80 == 0x80) ? .private : .public
        }
    }

    /// The IPv4 address that an IPv6 address leads to: mapped and compatible ones, NAT64 (64:ff9b::/96), 6to4 (2002::/16).
    private static func embeddedIPv4(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let head = bytes[..<12]
        let isMapped = head[..<10].allSatisfy { $0 == 0 } && head[10] == 0xFF && head[11] == 0xFF
        let isCompatible = head.allSatisfy { $0 == 0 }
        let isTranslated = head.starts(with: [0x00, 0x64, 0xFF, 0x9B]) && head[4...].allSatisfy { $0 == 0 }
        if isMapped || isCompatible || isTranslated { return bytes[12...] }
        return head.starts(with: [0x20, 0x02]) ? bytes[2..<6] : nil
    }
}
