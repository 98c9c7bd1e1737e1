import Platform
import Testing

@testable import Filesystem

struct DropTreeTests {
    private var tree = DropTree(now: 0)

    private mutating func addFolder(_ number: Int64, _ name: FileName, in folder: Int64) {
        tree.insert(
            number, DropNode(parent: folder, name: name, content: .folder, permissions: 0o700, modified: 0), in: folder)
    }

    private mutating func addFile(_ number: Int64, _ name: FileName, in folder: Int64) {
        tree.insert(
            number,
            DropNode(
                parent: folder, name: name, content: .file(DropFile(number: number, spool: nil)), permissions: 0o600,
                modified: 0), in: folder)
    }

    @Test mutating func heightCountsTheFoldersOfTheDeepestBranch() {
        addFolder(20, "a", in: DropTree.root)
        #expect(tree.height(20) == 1)
        addFile(21, "f", in: 20)
        #expect(tree.height(20) == 1 && tree.height(21) == 0)
        addFolder(22, "b", in: 20)
        addFolder(23, "c", in: 20)
        addFolder(24, "d", in: 23)
        #expect(tree.height(20) == 3)
    }

    @Test mutating func deepestFolderIsStillInItsZone() {
        var folder = DropTree.root
        for depth in 1...Int64(DropTree.maximumDepth) {
            addFolder(100 + depth, "d", in: folder)
            folder = 100 + depth
        }
        addFile(99, "f", in: folder)
        #expect(tree.depth(folder) == DropTree.maximumDepth)
        #expect(tree.zone(of: 99) == .drop)
        #expect(tree.folders(above: 99).count == DropTree.maximumDepth)
        #expect(tree.isInside(99, 101))
    }

    @Test mutating func emptyFoldersGoUpToTheFirstThatIsNeeded() {
        addFolder(20, "a", in: DropTree.sent)
        addFolder(21, "b", in: 20)
        addFolder(22, "c", in: 21)
        addFile(23, "f", in: 20)
        tree.removeEmptyFolders(from: 22)
        #expect(tree[22] == nil && tree[21] == nil && tree[20] != nil)
        tree.detach(23)
        tree.removeEmptyFolders(from: 20)
        #expect(tree.children(of: DropTree.sent).isEmpty)
        tree.removeEmptyFolders(from: DropTree.sent)
        #expect(tree[DropTree.sent]?.isFolder == true && tree.child("sent", of: DropTree.root) == DropTree.sent)
    }

    @Test mutating func nodeIsKnownAsLongAsItIsInUse() {
        addFile(20, "f", in: DropTree.root)
        tree[20]?.lookups = 1
        tree[20]?.openHandles = 1
        tree.detach(20)
        var isGone = tree.removeIfUnused(20)
        #expect(!isGone)
        #expect(tree[20]?.file != nil)
        tree[20]?.openHandles = 0
        isGone = tree.removeIfUnused(20)
        // The kernel has not forgotten it.
        #expect(!isGone && tree[20]?.isGone == true)
        tree[20]?.lookups = 0
        isGone = tree.removeIfUnused(20)
        #expect(isGone && tree[20] == nil)
        isGone = tree.removeIfUnused(DropTree.failed)
        #expect(!isGone)
    }

    @Test mutating func noteHoldsAtLeastTheName() {
        var folder = DropTree.root
        for depth: Int64 in 1...9 {
            addFolder(100 + depth, FileName(String(repeating: "d", count: 250)), in: folder)
            folder = 100 + depth
            addFile(200 + depth, "f", in: folder)
        }
        #expect(tree.note(of: 201) == String(repeating: "d", count: 250) + "/f")
        #expect(tree.note(of: 209) == "f")
    }

    @Test mutating func whatArrivedOrFailedIsNotChanged() {
        addFile(20, "f", in: DropTree.root)
        addFile(21, "g", in: DropTree.failed)
        #expect(tree.changeError(20) == nil)
        #expect(tree.changeError(21) == .access)
        tree.withFile(20) { $0.isDelivered = true }
        #expect(tree.changeError(20) == .stale)
    }

    @Test mutating func oldestFilesAreReportedFirst() {
        for number in (20..<60).reversed() { addFile(Int64(number), FileName("\(number)"), in: DropTree.root) }
        tree.detach(20)
        #expect(tree.files(limit: 3) == [21, 22, 23])
    }
}
