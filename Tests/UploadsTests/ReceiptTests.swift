import Foundation
import Platform
import Testing
import Uploads

struct ReceiptTests {
    private let receipt = Receipt(
        name: "报告 \"1\".pdf", seconds: 1_783_332_000, size: 1 << 40, sha256: "e3b0", status: 201,
        answer: "{ \"ok\": true }", url: "https://host/upload?key=***", attempts: 2, idempotencyKey: "k-1")

    @Test func aReceiptIsReadableJSON() throws {
        #expect(
            receipt.text == """
                {
                  "answer" : "{ \\"ok\\": true }",
                  "attempts" : 2,
                  "idempotencyKey" : "k-1",
                  "name" : "报告 \\"1\\".pdf",
                  "sha256" : "e3b0",
                  "size" : 1099511627776,
                  "status" : 201,
                  "time" : "2026-07-06T10:00:00Z",
                  "url" : "https://host/upload?key=***"
                }

                """)
        #expect(try JSONDecoder().decode(Receipt.self, from: Data(receipt.text.utf8)) == receipt)
    }

    // MARK: Names

    @Test func namesOfReceiptsAreCountedUp() {
        var taken: Set<String> = []
        for expected in ["a.txt.json", "a.txt (2).json", "a.txt (3).json"] {
            let name = ReceiptNames.unique("a.txt", suffix: ".json") { taken.contains($0) }
            #expect(name == expected)
            taken.insert(name)
        }
    }

    @Test func namesOfFailedFilesKeepTheirSuffixAndRoomForTheText() {
        #expect(ReceiptNames.failed("a.txt") { _ in false } == "a.txt")
        #expect(ReceiptNames.failed("a.txt") { ["a.txt"].contains($0) } == "a (2).txt")
        #expect(ReceiptNames.failed("a.txt") { ["a.txt.error.txt"].contains($0) } == "a (2).txt")
        #expect(ReceiptNames.failed("a.txt") { ["a.txt", "a (2).txt.error.txt"].contains($0) } == "a (3).txt")
        #expect(ReceiptNames.failed("noext") { ["noext"].contains($0) } == "noext (2)")
        #expect(ReceiptNames.failed(".x") { [".x"].contains($0) } == ".x (2)")
        #expect(ReceiptNames.errorName("a.txt") == "a.txt.error.txt")
    }

    @Test(arguments: [String(repeating: "x", count: 255), String(repeating: "报", count: 85)])
    func longNamesAreCut(_ name: String) {
        var taken: Set<String> = []
        for number in 1...12 {
            let receipt = ReceiptNames.unique(name, suffix: ".json") { taken.contains($0) }
            let failed = ReceiptNames.failed(name) { taken.contains($0) }
            #expect(number == 1 ? failed == name : failed.hasSuffix(" (\(number))"))
            for new in [receipt, failed, ReceiptNames.errorName(failed)] {
                #expect(FileName(new).isValid)
                #expect(taken.insert(new).inserted)
            }
        }
        #expect(FileName(ReceiptNames.errorName(name)).isValid)
    }

    @Test func aLongSuffixOfAFailedFileIsCutToo() {
        let name = "a." + String(repeating: "x", count: 253)
        let new = ReceiptNames.failed(name) { $0 == name }
        #expect(FileName(new).isValid)
        #expect(new != name)
    }

    // MARK: Failure texts

    @Test func anIncompleteFileIsExplained() {
        #expect(
            FailureText.make(name: "a.bin", url: "https://host/upload", reason: .incomplete) == """
                a.bin was not uploaded to https://host/upload.

                The file is incomplete: the program that wrote it, or this one, ended before all of it was there. It was \
                never sent like this.

                Copy it into the drop folder again and delete this one. To send it as it is, move it back.

                """)
    }

    @Test func aRefusalNamesTheAnswer() {
        let text = FailureText.make(
            name: "a\nb.bin", url: "https://host/upload", reason: .refused(status: 413, words: "413 Content Too Large"))
        #expect(text.hasPrefix("a b.bin was not uploaded"))
        #expect(text.contains("The server's answer: 413 Content Too Large\n"))
        #expect(text.contains("larger than the server takes"))
        #expect(text.contains("move the file back"))
        let bare = FailureText.make(name: "a", url: "u", reason: .refused(status: 409, words: ""))
        #expect(bare.contains("The server's answer: 409 Conflict\n"))
    }

    @Test func anUnknownResultSaysWhatToLookFor() {
        let text = FailureText.make(
            name: "a", url: "u", reason: .resultUnknown(tries: 4, words: "connection reset"))
        #expect(text.contains("sent whole 4 times, and no answer came: connection reset."))
        #expect(text.contains("whether it is there"))
    }

    @Test func foreignWordsAreCleanAndBounded() {
        let hostile = "\u{1B}[2J" + String(repeating: "z", count: 20_000)
        for reason in [FailureReason.refused(status: 400, words: hostile), .resultUnknown(tries: 4, words: hostile)] {
            let text = FailureText.make(name: hostile, url: hostile, reason: reason)
            #expect(!text.contains("\u{1B}"))
            #expect(text.utf8.count < 4 * DisplayText.maximumLength)
            #expect(FailureText.summary(reason).utf8.count <= DisplayText.maximumLength)
            #expect(!FailureText.summary(reason).contains("\u{1B}"))
        }
    }

    @Test(arguments: [200, 302, 404, 413, 415, 409, 418])
    func everyRefusalTellsWhatToDo(status: Int) {
        let text = FailureText.make(name: "a", url: "u", reason: .refused(status: status, words: "w"))
        #expect(text.hasSuffix("To try again, move the file back into the drop folder; to give up, delete it.\n"))
    }

    @Test func summariesAreOneLine() {
        for reason in [
            FailureReason.incomplete, .refused(status: 400, words: "a\nb"), .resultUnknown(tries: 4, words: "c\nd"),
        ] {
            #expect(!FailureText.summary(reason).contains("\n"))
        }
    }
}
