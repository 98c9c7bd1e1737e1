import Testing

@testable import skyfs

struct StateFolderTests {
    @Test(
        arguments: [
            ("/s", "/h", false, "/s/skyfs"), (nil, "/h", false, "/h/.local/state/skyfs"),
            ("rel", "/h", true, "/h/.local/state/skyfs"),
            (nil, nil, true, "/var/lib/skyfs"), (nil, nil, false, nil), ("", "", true, "/var/lib/skyfs"),
        ] as [(String?, String?, Bool, String?)])
    func theEnvironmentSaysWhere(xdg: String?, home: String?, isRoot: Bool, path: String?) {
        #expect(StateFolder.path(xdg: xdg, home: home, isRoot: isRoot) == path)
    }
}
