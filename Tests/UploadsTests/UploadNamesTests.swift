import Testing
import Uploads

struct UploadNamesTests {
    @Test(arguments: [
        ".~lock.x.odt#", "~$x.docx", ".goutputstream-1A2B3C", ".x.txt.swp", "x.txt~", "4913", ".DS_Store", "._x.txt",
        "Thumbs.db", "thumbs.db", "desktop.ini", "Desktop.ini", ".fuse_hidden0001", ".nfs0001", ".#x.txt", "#x.txt#",
        ".a.bin.Ab12Cd", "film.mkv.part", "x.zip.crdownload", "x.dmg.download", ".hidden", "~", "#", "~$",
    ])
    func staysHere(_ name: String) {
        #expect(!UploadNames.isCandidate(name))
    }

    @Test(arguments: [
        "a.bin", "x.tmp", "报告.pdf", "49130", "a4913", "#hashtag", "x#", "part", "x.part1.rar", "a~b", "$x",
        "crdownload",
        "download", "x.part.zip", " ", "a.b.c", "sent", "Thumbs.db.txt",
    ])
    func goesUp(_ name: String) {
        #expect(UploadNames.isCandidate(name))
    }

    @Test func reservedNamesAreExact() {
        #expect(UploadNames.isReserved("sent") && UploadNames.isReserved("failed"))
        #expect(!UploadNames.isReserved("Sent") && !UploadNames.isReserved("failed.txt"))
    }

    @Test func foldersOfDotNamesAreHidden() {
        #expect(UploadNames.isHidden(".Trash-1000") && UploadNames.isHidden(".git"))
        #expect(!UploadNames.isHidden("photos.d"))
    }

    @Test func whatAPartialSuffixMakesIsNoCandidate() {
        for suffix in UploadNames.partialSuffixes { #expect(!UploadNames.isCandidate("x" + suffix)) }
    }
}
