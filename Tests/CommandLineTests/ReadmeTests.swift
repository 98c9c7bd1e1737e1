import Foundation
import Testing

@testable import skyfs

/// The tables of README.md and the program belong together.
struct ReadmeTests {
    private static func readme() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    /// The rows of the table below a heading, by cell.
    private static func table(_ heading: String) throws -> [[String]] {
        let page = try readme()
        let start = try #require(page.range(of: "\n## \(heading)\n"))
        let section = page[start.upperBound...].components(separatedBy: "\n## ")[0]
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        return rows.map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test func everyOptionIsThereAndNoOther() throws {
        let names = try Self.table("Mount options").flatMap { row in
            row[0].components(separatedBy: ", ").map { $0.trimmingCharacters(in: ["`"]) }
        }
        #expect(names.sorted() == MountOption.all.map(\.name).sorted())
    }

    @Test func everyExitCodeIsThereAndNoOther() throws {
        let codes = try Self.table("Exit codes").compactMap { Int32($0[0]) }
        #expect(codes == ExitCode.allCases.map(\.rawValue))
        for code in codes { #expect(Usage.all.contains("  \(code) "), "\(code)") }
    }
}
