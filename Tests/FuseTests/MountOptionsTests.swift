import Testing

@testable import Fuse

struct MountOptionsTests {
    @Test func commasAndBackslashesStayInsideTheirWord() {
        var options = MountOptions(fsname: #"http://h/a,suid,b\c"# + "\0tail")
        options.extra = ["noatime", "context=a,b"]
        #expect(
            options.arguments == [
                "skyfs", "-o",
                #"noatime,context=a\,b,ro,default_permissions,max_read=1048576,subtype=skyfs,"#
                    + #"fsname=http://h/a\,suid\,b\\ctail"#,
            ])
    }

    @Test func writableAndForOthers() {
        var options = MountOptions(fsname: "x")
        options.readOnly = false
        options.allowOther = true
        #expect(options.arguments[2].hasPrefix("rw,allow_other,default_permissions,"))
    }
}
