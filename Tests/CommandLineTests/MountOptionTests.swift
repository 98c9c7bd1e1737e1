import Filesystem
import Glibc
import Platform
import Testing

@testable import skyfs

struct MountOptionTests {
    private func settings(_ words: String...) throws(CommandError) -> MountSettings {
        var settings = MountSettings()
        for word in words { try MountOption.apply(word, to: &settings) }
        return settings
    }

    @Test func optionsReachTheirSettings() throws {
        let settings = try settings(
            "ttl=10m", "timeout=1.5s", "connections=3", "memory=64M", "external_links", "uid=7", "umask=077",
            "log=/tmp/x",
            "stall=500ms")
        #expect(settings.filesystem.ttl == .seconds(600))
        #expect(settings.filesystem.operationTimeout == .milliseconds(1500))
        #expect(settings.filesystem.connectionsPerHost == 3)
        #expect(settings.filesystem.memory == 64 << 20)
        #expect(settings.filesystem.allowsExternalLinks)
        #expect(settings.filesystem.user == 7)
        #expect(settings.filesystem.umask == 0o077 && settings.filesystem.dropMask == 0o077)
        #expect(settings.logFile == "/tmp/x")
        #expect(settings.stallTimeout == .milliseconds(500))
    }

    @Test func optionsOfDropFoldersReachTheirSettings() throws {
        let standard = MountSettings().filesystem
        #expect(!standard.waitsForVerdict && standard.uploads == 3)
        #expect(standard.settle == .seconds(1) && standard.retry == .seconds(2))
        let settings = try settings("spool=/s", "settle=0", "retry=500ms", "uploads=5", "upload=wait").filesystem
        #expect(settings.spool == "/s" && settings.waitsForVerdict && settings.uploads == 5)
        #expect(settings.settle == .zero && settings.retry == .milliseconds(500))
        #expect(try !self.settings("upload=wait", "upload=async").filesystem.waitsForVerdict)
    }

    @Test func readOnlyIsTheLastWordOfTwo() throws {
        #expect(try settings("rw", "ro").isReadOnly)
        #expect(try !settings("ro", "rw").isReadOnly)
    }

    @Test func relativePathsAreThoseOfTheCurrentDirectory() throws {
        let folder = try #require(getcwd(nil, 0))
        defer { free(folder) }
        #expect(try settings("log=x/y").logFile == String(cString: folder) + "/x/y")
    }

    @Test func laterOptionsWin() throws { #expect(try settings("ttl=1", "ttl=2").filesystem.ttl == .seconds(2)) }

    @Test func unknownOptionsNameTheNearOnes() {
        #expect {
            try settings("memori=1G")
        } throws: { error in
            guard let error = error as? CommandError else { return false }
            return error.code == .usage && error.advice == "did you mean memory?"
        }
    }

    @Test(arguments: [
        "ttl", "ttl=", "ttl=0", "ttl=-1", "connections=0", "connections=65", "memory=1M", "umask=999", "uid=x",
        "external_links=maybe", "log=", "spool=", "settle=-1", "settle", "retry=0", "uploads=0", "uploads=17",
        "upload=",
        "upload=sync",
    ])
    func valuesThatCannotBeReadAreRefused(word: String) {
        #expect(throws: CommandError.self) { try settings(word) }
    }

    @Test(arguments: [
        "_netdev", "nofail", "noauto", "user", "defaults", "ro", "rw", "x-systemd.automount", "x-gvfs-show",
        "comment=abc", "X-mount.mkdir", "nodiratime", "user=me",
    ])
    func wordsOfFstabMeanNothing(word: String) throws {
        let settings = try settings(word)
        #expect(settings.passedOn.isEmpty)
    }

    @Test func wordsOfTheKernelArePassedOn() throws {
        #expect(try settings("nosuid", "noexec").passedOn == ["nosuid", "noexec"])
    }

    @Test func everyOptionIsInTheHelp() {
        let help = Usage.command("mount") ?? ""
        for option in MountOption.all { #expect(help.contains("  \(option.name)")) }
    }
}
