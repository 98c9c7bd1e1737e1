import HTTP
import Testing

@testable import Filesystem

struct AnswerTests {
    private func head(_ status: Int, _ change: (inout ResponseHead) -> Void = { _ in }) throws -> ResponseHead {
        var head = ResponseHead(status: status, url: try HTTPURL.parse("http://127.0.0.1/f.bin").url)
        change(&head)
        return head
    }

    private func judge(_ status: Int, _ contentRange: ContentRange, asked: Range<Int64>? = 1000..<2000) throws -> Answer
    {
        Answer(try head(status) { $0.contentRange = contentRange }, to: asked, isDecoded: true)
    }

    @Test func aPartThatBeginsWhereAskedCounts() throws {
        #expect(try judge(206, .satisfied(bytes: 1000..<2000, total: 9000)) == .part(1000..<2000, total: 9000))
        #expect(try judge(206, .satisfied(bytes: 1000..<1500, total: nil)) == .part(1000..<1500, total: nil))
        // More than asked for is cut to what was asked.
        #expect(try judge(206, .satisfied(bytes: 1000..<9000, total: 9000)) == .part(1000..<2000, total: 9000))
    }

    @Test func aPartFromElsewhereNeverCounts() throws {
        for start: Int64 in [0, 999, 1001] {
            guard case .wrongPart = try judge(206, .satisfied(bytes: start..<start + 10, total: 9000)) else {
                Issue.record("a part from \(start) was taken for one from 1000")
                continue
            }
        }
        guard case .wrongPart = try judge(206, .satisfied(bytes: 0..<10, total: 10), asked: nil) else {
            Issue.record("206 to a plain request")
            return
        }
    }

    @Test func aPartThatDoesNotSayWhatItIsNeverCounts() throws {
        #expect(try judge(206, .absent) == .unreadablePart)
        #expect(try judge(206, .invalid) == .unreadablePart)
        let coded = try head(206) {
            $0.contentRange = .satisfied(bytes: 1000..<2000, total: 9000)
            $0.contentEncodings = ["gzip"]
        }
        #expect(Answer(coded, to: 1000..<2000, isDecoded: true) == .unreadablePart)
        #expect(Answer(coded, to: 1000..<2000, isDecoded: false) == .part(1000..<2000, total: 9000))
    }

    @Test func theLengthOfACodedBodyIsNotTheSize() throws {
        let coded = try head(200) {
            $0.contentLength = 77
            $0.contentEncodings = ["gzip"]
        }
        #expect(Answer(coded, to: nil, isDecoded: true) == .whole(size: nil))
        #expect(Answer(coded, to: nil, isDecoded: false) == .whole(size: 77))
    }

    @Test func unsatisfiableTellsEmptyFromTooFar() throws {
        #expect(try judge(416, .unsatisfied(total: 0), asked: 0..<10) == .empty)
        #expect(try judge(416, .unsatisfied(total: 84), asked: 0..<131_072) == .unsatisfiable(total: 84))
        #expect(try judge(416, .unsatisfied(total: 500)) == .unsatisfiable(total: nil))
        #expect(try judge(416, .absent) == .unsatisfiable(total: nil))
    }

    @Test func statusesThatRefuseRangesDoSoOnlyToRanges() throws {
        for status in [400, 403, 405, 406, 501] {
            #expect(try judge(status, .absent) == .rangeRefused(status))
            #expect(try judge(status, .absent, asked: nil) == .status(status))
        }
        for status in [204, 304, 404, 500, 503] { #expect(try judge(status, .absent) == .status(status)) }
        #expect(try judge(412, .absent) == .preconditionFailed)
    }
}
