import Foundation
import Testing

/// The claims of docs/semantics.md and the tests they name belong together.
struct DocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// "Suite.test" for every test function of a file named after its suite.
    private static func tests(below path: String) throws -> Set<String> {
        let tests = root.appending(path: path)
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var names: Set<String> = []
        for case let file as URL in files where file.lastPathComponent.hasSuffix("Tests.swift") {
            let suite = file.deletingPathExtension().lastPathComponent
            let text = try String(contentsOf: file, encoding: .utf8)
            var isTest = false
            for line in text.split(separator: "\n") {
                if line.contains("@Test") { isTest = true }
                guard isTest, let function = line.firstMatch(of: /func (\w+)\(/) else { continue }
                names.insert("\(suite).\(function.1)")
                isTest = false
            }
        }
        return names
    }

    /// The list items of the page, each with the tests it names.
    private static func claims() throws -> [(text: String, tests: [String])] {
        let page = try String(contentsOf: root.appending(path: "docs/semantics.md"), encoding: .utf8)
        return page.split(separator: "\n- ").dropFirst().map { item in
            let text = item.split(separator: "\n## ")[0]
            return (String(text), text.matches(of: /`(\w+Tests\.\w+)`/).map { String($0.1) })
        }
    }

    @Test func everyClaimNamesATest() throws {
        let claims = try Self.claims()
        #expect(claims.count > 40)
        for claim in claims where claim.tests.isEmpty { Issue.record("no test: \(claim.text)") }
    }

    @Test func everyTestNamedExists() throws {
        let tests = try Self.tests(below: "Tests")
        for name in try Self.claims().flatMap(\.tests) where !tests.contains(name) {
            Issue.record("docs/semantics.md names \(name), which is not there")
        }
    }

    /// A test on a real mount that no claim names is a promise that was forgotten.
    @Test func everyMountTestIsNamed() throws {
        let named = Set(try Self.claims().flatMap(\.tests))
        for name in try Self.tests(below: "Tests/MountTests").subtracting(named).sorted()
        where !name.hasPrefix("DocumentationTests.") {
            Issue.record("docs/semantics.md does not name \(name)")
        }
    }
}
