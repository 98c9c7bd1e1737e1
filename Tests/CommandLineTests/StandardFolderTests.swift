import Testing

@testable import skyfs

struct StandardFolderTests {
    @Test(
        arguments: [
            ("/s", "/h", false, "/s/skyfs"), (nil, "/h", false, "/h/.local/state/skyfs"),
            ("rel", "/h", true, "/h/.local/state/skyfs"),
            (nil, nil, true, "/var/lib/skyfs"), (nil, nil, false, nil), ("", "", true, "/var/lib/skyfs"),
        ] as [(String?, String?, Bool, String?)])
    func theEnvironmentSaysWhereStateIsKept(xdg: String?, home: String?, isRoot: Bool, path: String?) {
        #expect(StandardFolder.state.path(xdg: xdg, home: home, isRoot: isRoot) == path)
    }

    @Test(
        arguments: [
            ("/c", "/h", false, "/c/skyfs"), (nil, "/h", true, "/h/.cache/skyfs"), (nil, nil, true, "/var/cache/skyfs"),
            (nil, nil, false, nil),
        ] as [(String?, String?, Bool, String?)])
    func theEnvironmentSaysWhereTheCacheIs(xdg: String?, home: String?, isRoot: Bool, path: String?) {
        #expect(StandardFolder.cache.path(xdg: xdg, home: home, isRoot: isRoot) == path)
    }
}
