import Testing

@testable import HTTP

struct AddressClassTests {
    @Test(arguments: [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0",
        "::1", "::", "fe80::1", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "nonsense", "",
    ])
    func privateAddressesAreTold(address: String) { #expect(AddressClass(address) == .private) }

    @Test(arguments: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2001:db8::1", "::ffff:8.8.8.8", "1.1.1.1"])
    func publicAddressesAreTold(address: String) { #expect(AddressClass(address) == .public) }
}
