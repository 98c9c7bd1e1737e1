import Testing

@testable import Fuse

struct MountTableTests {
    private static let text = #"""
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        40 22 0:35 / /mnt/a\040b\134c ro,nosuid - fuse.skyfs http://h/x ro,user_id=0
        41 22 0:36 / /mnt/over rw shared:9 master:2 - tmpfs tmpfs rw
        42 41 0:37 / /mnt/over rw - fuse.other x rw
        43 22 0:38 / /mnt/short
        nonsense
        """#

    @Test func readsPathsTypesAndDevices() {
        let table = MountTable(Self.text)
        #expect(table.mounts.count == 4)
        #expect(
            table.mount(at: #"/mnt/a b\c"#) == .init(device: "0:35", mountPoint: #"/mnt/a b\c"#, type: "fuse.skyfs"))
        #expect(table.mount(at: "/mnt") == nil)
    }

    @Test func theTopmostMountCounts() {
        #expect(MountTable(Self.text).mount(at: "/mnt/over")?.type == "fuse.other")
    }

    @Test func theRootIsMounted() {
        #expect(MountTable.current().mount(at: "/") != nil)
    }
}
