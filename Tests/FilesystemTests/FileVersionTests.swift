import HTTP
import Testing

@testable import Filesystem

struct FileVersionTests {
    private func tag(_ text: String, isWeak: Bool = false) -> EntityTag {
        EntityTag(opaque: "\"\(text)\"", isWeak: isWeak)
    }

    @Test func whatOneSideDoesNotSayDoesNotCount() {
        let known = FileVersion(size: 10, entityTag: tag("a"), lastModified: 100)
        #expect(known.compare(to: FileVersion(), ignoringTags: false) == .same)
        #expect(known.compare(to: FileVersion(size: 10), ignoringTags: false) == .same)
    }

    @Test func sizeDateAndTagTellVersionsApart() {
        let known = FileVersion(size: 10, entityTag: tag("a"), lastModified: 100)
        #expect(
            known.compare(to: FileVersion(size: 11, entityTag: tag("a"), lastModified: 100), ignoringTags: false)
                == .different)
        #expect(
            known.compare(to: FileVersion(size: 10, entityTag: tag("a"), lastModified: 101), ignoringTags: false)
                == .different)
        #expect(known.compare(to: FileVersion(size: 10, entityTag: tag("b")), ignoringTags: false) == .different)
    }

    @Test func onlyAnotherTagMayBeAnotherServerOfACluster() {
        let known = FileVersion(size: 10, entityTag: tag("a"), lastModified: 100)
        let other = FileVersion(size: 10, entityTag: tag("b"), lastModified: 100)
        #expect(known.compare(to: other, ignoringTags: false) == .tagsDiffer)
        #expect(known.compare(to: other, ignoringTags: true) == .same)
    }

    @Test func weakAndStrongTagOfOneTextAreTheSameVersion() {
        let strong = FileVersion(size: 10, entityTag: tag("a"))
        #expect(
            strong.compare(to: FileVersion(size: 10, entityTag: tag("a", isWeak: true)), ignoringTags: false) == .same)
    }
}
