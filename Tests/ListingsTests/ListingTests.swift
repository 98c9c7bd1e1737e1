import Platform
import SeededRandom
import Testing

@testable import Listings

struct ListingTests {
    @Test func firstUsableOccurrenceWinsAndLaterOnesFillIn() {
        let listing = Listing(entries: [
            ListingEntry(name: "a", reference: "/a", kind: .file),
            ListingEntry(name: "b", reference: "/b", kind: .file, size: .approximate(10)),
            ListingEntry(name: "a", reference: "/other", kind: .file, size: .exact(3), modified: 5),
            ListingEntry(name: "b", reference: "/b", kind: .file, size: .exact(11), modified: 6),
            ListingEntry(name: "a", reference: "/third", kind: .file, size: .exact(4), modified: 7),
        ])
        #expect(listing.count == 2)
        #expect(listing[0] == ListingEntry(name: "a", reference: "/a", kind: .file, size: .exact(3), modified: 5))
        #expect(listing[1] == ListingEntry(name: "b", reference: "/b", kind: .file, size: .exact(11), modified: 6))
    }

    @Test func aNameThatIsBothIsADirectory() {
        let entries = [
            ListingEntry(name: "d", reference: "/d", kind: .file, size: .exact(3)),
            ListingEntry(name: "d", reference: "/d/", kind: .directory),
        ]
        for listing in [Listing(entries: entries), Listing(entries: entries.reversed())] {
            #expect(listing.count == 1)
            #expect(listing[0] == ListingEntry(name: "d", reference: "/d/", kind: .directory))
        }
    }

    @Test func invalidNamesAreCounted() {
        let names: [FileName] = [
            "", ".", "..", "a/b", FileName(bytes: [0x61, 0]), FileName(String(repeating: "x", count: 256)),
        ]
        let longest = FileName(String(repeating: "x", count: 255))
        let listing = Listing(entries: (names + [longest]).map { ListingEntry(name: $0, reference: "/x", kind: .file) })
        #expect(listing.count == 1)
        #expect(listing.skipped == names.count)
        #expect(listing.index(of: longest) == 0)
        for name in names { #expect(listing.index(of: name) == nil) }
    }

    @Test func aReferenceTooLongForARequestIsCounted() {
        let listing = Listing(entries: [
            ListingEntry(name: "a", reference: "/" + String(repeating: "x", count: 70_000), kind: .file)
        ])
        #expect(listing.count == 0)
        #expect(listing.skipped == 1)
    }

    @Test func referencesAreBoundedTogether() {
        var listing = Listing(base: "/")
        let reference = [UInt8](repeating: 0x61, count: 65534)
        for number in 0..<1024 {
            #expect(!listing.isTooLarge)
            _ = listing.insert(name: Array("\(number)".utf8), reference: .segment(reference), kind: .file)
        }
        _ = listing.insert(name: [0x61], reference: .segment(reference), kind: .file)
        #expect(listing.isTooLarge)
    }

    @Test func againstADictionary() {
        var random = SplitMix(seed: 11)
        for _ in 0..<20 {
            var entries: [ListingEntry] = []
            var model: [FileName: Int] = [:]
            for _ in 0..<Int.random(in: 0...600, using: &random) {
                let length = Int.random(in: 1...3, using: &random)
                let name = FileName(bytes: (0..<length).map { _ in UInt8.random(in: 0x61...0x66, using: &random) })
                if model[name] == nil { model[name] = model.count }
                entries.append(ListingEntry(name: name, reference: "/x/\(name)", kind: .file))
            }
            let listing = Listing(entries: entries)
            #expect(listing.count == model.count)
            for (name, index) in model {
                #expect(listing.index(of: name) == index)
                #expect(listing.name(at: index) == name)
                #expect(listing[index].reference == "/x/\(name)")
            }
            #expect(listing.index(of: "g") == nil)
        }
    }

    @Test func staysSmall() {
        let entries = (0..<20_000).lazy.map {
            ListingEntry(
                name: FileName("file-\($0).dat"), reference: "/pub/file-\($0).dat", kind: .file, size: .exact(1))
        }
        #expect(Listing(entries: entries).bytesUsed < 3 << 20)
    }
}
