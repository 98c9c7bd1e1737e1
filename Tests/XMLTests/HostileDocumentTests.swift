import Glibc
import Testing

@testable import XML

@Suite struct HostileDocumentTests {
    private func read(_ document: [UInt8]) throws(XMLError) -> [String] {
        let reader = try XMLReader(document)
        let root = try reader.root()
        var result: [String] = []
        while let child = try reader.nextChild(of: root) { result.append(try reader.text(of: child)) }
        try reader.finish()
        return result
    }
    private func read(_ text: String) throws(XMLError) -> [String] { try read(Array(text.utf8)) }

    private static let bomb: String = {
        var declarations = "<!ENTITY a \"aaaaaaaaaa\">"
        for (name, inner) in zip("bcdefgh", "abcdefg") {
            declarations += "<!ENTITY \(name) \"\(String(repeating: "&\(inner);", count: 10))\">"
        }
        return declarations
    }()

    @Test(arguments: [
        "<!DOCTYPE r><r><a>1</a></r>",
        "<!DOCTYPE r [\(bomb)]><r><a>&h;</a></r>",
        "<!DOCTYPE r [\(bomb)]><r a='&h;'/>",
        "<!DOCTYPE r SYSTEM \"http://127.0.0.1:9/x.dtd\"><r><a>1</a></r>",
        "<!DOCTYPE r [<!ENTITY % p SYSTEM \"http://127.0.0.1:9/p\"> %p;]><r><a>1</a></r>",
        "<!DOCTYPE r [<!ATTLIST r b CDATA \"x\">]><r><a>1</a></r>",
    ])
    func documentTypesAreRefused(_ document: String) {
        #expect(throws: XMLError.self) { try read(document) }
    }

    /// An external entity would bring a file's text into the answer.
    @Test func noFileIsRead() {
        for entity in ["<!ENTITY x SYSTEM \"file:///etc/passwd\">", "<!ENTITY % p SYSTEM \"file:///etc/passwd\">"] {
            let document = "<!DOCTYPE r [\(entity)]><r><a>&x;</a></r>"
            do {
                let texts = try read(document)
                Issue.record("read as \(texts)")
            } catch {
                #expect(!error.description.contains("root:"))
            }
        }
    }

    @Test func endlessDepthEndsEarly() {
        let document = String(repeating: "<a>", count: 200_000) + String(repeating: "</a>", count: 200_000)
        #expect(throws: XMLError.tooLarge("elements deeper than 32")) { try read("<r>\(document)</r>") }
        #expect(throws: XMLError.tooLarge("elements deeper than 32")) { try read("<r>\(document.prefix(600_000))") }
    }

    @Test func limitsHold() throws {
        let spaces = String(repeating: " ", count: 4 << 20)
        #expect(throws: XMLError.tooLarge("over 4194304 bytes")) { try read("<r/>\(spaces)") }
        let long = String(repeating: "x", count: 1 << 20)
        #expect(throws: XMLError.self) { try read("<r><a>\(long)</a></r>") }
        #expect(throws: XMLError.self) { try read("<r><\(long)/></r>") }
        #expect(throws: XMLError.self) { try read("<r><!-- \(long) --></r>") }
        #expect(throws: XMLError.self) { try read("<?xml version='1.0'\(spaces.prefix(1 << 20))?><r/>") }
        let attributes = (0...100).map { " a\($0)=''" }.joined()
        #expect(throws: XMLError.tooLarge("over 100 attributes")) { try read("<r><a\(attributes)/></r>") }
        let namespaces = (0...100).map { " xmlns:a\($0)='u:\($0)'" }.joined()
        #expect(throws: XMLError.tooLarge("over 100 attributes")) { try read("<r><a\(namespaces)/></r>") }
        #expect(try read("<r><a>\(String(repeating: "y", count: 60_000))</a></r>").first?.utf8.count == 60_000)
    }

    /// What could make the parser's work grow with the square of the document. Measured in processor time of this thread.
    @Test func workIsBounded() {
        func seconds() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let attributes = (0..<500_000).map { " a\($0)=''" }.joined().prefix(4_000_000)
        let declarations = (0..<500_000).map { " xmlns:a\($0)='u'" }.joined().prefix(4_000_000)
        let nested = (0..<30).map { level in
            "<a" + (0..<99).map { " xmlns:n\(level)x\($0)='u'" }.joined() + ">"
        }.joined()
        let hostile = [
            "<r\(attributes)/>", "<r\(declarations)/>", nested + String(repeating: "<b/>", count: 900_000),
            "<r>" + String(repeating: "&amp;", count: 800_000) + "</r>",
            "<r>" + String(repeating: "<![CDATA[]]>", count: 300_000) + "</r>",
            "<r>" + String(repeating: "<!---->", count: 500_000) + "</r>",
        ]
        for document in hostile {
            let start = seconds()
            #expect(throws: XMLError.self, "\(document.prefix(20))") { try read(document) }
            #expect(seconds() - start < 10, "\(document.prefix(20))")
        }
    }

    @Test func invalidBytesInNamesDoNotCrash() {
        for name in [[0xFF] as [UInt8], [0x61, 0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE4, 0xB8]] {
            let element = Array("<r><".utf8) + name + Array("/></r>".utf8)
            #expect(throws: XMLError.self) { try read(element) }
            let attribute = Array("<r ".utf8) + name + Array("='1'/>".utf8)
            #expect(throws: XMLError.self) { try read(attribute) }
        }
    }
}
