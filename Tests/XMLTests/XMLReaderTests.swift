import Testing

@testable import XML

@Suite struct XMLReaderTests {
    /// Name, namespace and text of each child of the root.
    private func children(_ document: [UInt8]) throws -> [String] {
        let reader = try XMLReader(document)
        let root = try reader.root()
        var result: [String] = []
        while let child = try reader.nextChild(of: root) {
            let name = "{\(reader.namespace)}\(reader.localName)"
            result.append("\(name)=\(try reader.text(of: child))")
        }
        try reader.finish()
        return result
    }
    private func children(_ text: String) throws -> [String] { try children(Array(text.utf8)) }

    @Test func childrenAreReadByPath() throws {
        let document = """
            <?xml version="1.0"?><!-- a --><?b c?>
            <r xmlns="u:r" xmlns:p="u:p"><a>1</a><p:b>x<i>no</i>y</p:b><c xmlns=""/><d> 1<!-- -->2<![CDATA[<3>]]>&amp;&#52; </d>
            <e><a>deep</a></e></r>
            """
        #expect(
            try children(document) == [
                "{u:r}a=1", "{u:p}b=xy", "{}c=", "{u:r}d= 12<3>&4 ", "{u:r}e=",
            ])
    }

    @Test func attributesAndNames() throws {
        let reader = try XMLReader(Array("<r a='1' p:a='2' xmlns:p='u:p'><s/></r>".utf8))
        let root = try reader.root()
        #expect(reader.isNamed("r", in: "") && reader.isNamed("r", in: nil) && !reader.isNamed("r", in: "u:p"))
        #expect(!reader.isNamed("rr", in: ""))
        #expect(reader.attribute("a") == "1" && reader.attribute("a", in: "u:p") == "2" && reader.attribute("b") == nil)
        #expect(try reader.nextChild(of: root) != nil)
        #expect(reader.localName == "s")
        #expect(try reader.nextChild(of: root) == nil)
        #expect(try reader.nextChild(of: root) == nil)
        #expect(reader.localName == "" && reader.attribute("a") == nil)
        try reader.finish()
        try reader.finish()
    }

    @Test func whatIsNotAskedForIsSkipped() throws {
        let reader = try XMLReader(Array("<r><a><b><c/>t</b></a><d/></r>".utf8))
        let root = try reader.root()
        #expect(try reader.nextChild(of: root) != nil)
        #expect(reader.localName == "a")
        #expect(try reader.nextChild(of: root) != nil)
        #expect(reader.localName == "d")
        try reader.finish()
        #expect(try reader.nextChild(of: root) == nil)
    }

    @Test func aCutDocumentNeverCounts() throws {
        let document = Array("<?xml version=\"1.0\"?>\n<r xmlns='u'><a b='c'>é&amp;</a><!-- x --><d/></r>".utf8)
        #expect(try children(document) == ["{u}a=é&", "{u}d="])
        for end in 0..<document.count {
            #expect(throws: XMLError.self, "cut at \(end)") { try children(Array(document[..<end])) }
        }
    }

    @Test func encodings() throws {
        let bom: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(try children(bom + Array("<r><a>é</a></r>".utf8)) == ["{}a=é"])
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><r><a>caf".utf8) + [0xE9] + Array("</a></r>".utf8)
        #expect(try children(latin) == ["{}a=café"])
        let beijing: [UInt8] = [0xB1, 0xB1, 0xBE, 0xA9]
        for name in ["gb2312", "GBK", "gb18030"] {
            let chinese =
                Array("<?xml version=\"1.0\" encoding=\"\(name)\" ?><r><a>".utf8) + beijing + Array("</a></r>".utf8)
            #expect(try children(chinese) == ["{}a=北京"])
        }
        for (mark, isLittle) in [([0xFF, 0xFE] as [UInt8], true), ([0xFE, 0xFF], false)] {
            let wide = "<?xml version=\"1.0\" encoding=\"utf-16\"?><r><a>北京</a></r>".utf16.flatMap {
                isLittle ? [UInt8($0 & 0xFF), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 0xFF)]
            }
            #expect(try children(mark + wide) == ["{}a=北京"])
        }
        let mislabelled = Array("<?xml version='1.0' encoding='utf-8'?><r><a>".utf8) + beijing + Array("</a></r>".utf8)
        #expect(throws: XMLError.self) { try children(mislabelled) }
        for name in ["ISO-2022-CN-EXT", "UTF-7", "../x", "utf-8//TRANSLIT"] {
            #expect(throws: XMLError.refused("the encoding \(name) is not read")) {
                try children("<?xml version='1.0' encoding='\(name)'?><r/>")
            }
        }
    }

    @Test(arguments: [
        "", " ", "hello", "<r>", "</r>", "<r/>x", "<r/><r/>", "<r><a></r>", "<r>&x;</r>", "<r a='&x;'/>",
        "<r a='1' a='2'/>",
        "<p:r/>", "<r>&#1;</r>", "<r>\u{1}</r>", "<html><body><p>Hello<br></body></html>", " <?xml version='1.0'?><r/>",
    ])
    func whatIsNotXMLIsRefused(_ text: String) {
        #expect(throws: XMLError.self) { try children(text) }
    }
}
