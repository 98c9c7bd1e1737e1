import Platform
import Testing

@testable import Listings

struct CharsetTests {
    private func link(_ name: [UInt8]) -> [UInt8] { Array("<a href=\"".utf8) + name + Array("\">x</a>\n".utf8) }

    @Test(arguments: [
        ("windows-1251", [0xEF, 0xF0, 0xE8] as [UInt8], "при", "/%EF%F0%E8"),
        ("koi8-r", [0xD0, 0xD2, 0xC9], "при", "/%D0%D2%C9"),
        ("gbk", [0xC9, 0xCF, 0xBA, 0xA3], "上海", "/%C9%CF%BA%A3"), ("GB2312", [0xC9, 0xCF], "上", "/%C9%CF"),
        ("big5", [0xA4, 0x57], "上", "/%A4W"), ("shift_jis", [0x8F, 0xE3], "上", "/%8F%E3"),
        ("euc-kr", [0xB0, 0xA1], "가", "/%B0%A1"),
        ("ISO-8859-1", [0xE9], "é", "/%E9"), ("latin1", [0xE9], "é", "/%E9"), ("iso-8859-15", [0xA4], "€", "/%A4"),
        ("iso-8859-1", [0xC3, 0xA9], "é", "/%C3%A9"), ("utf-8", [0xC3, 0xA9], "é", "/%C3%A9"),
    ]) func nameIsShownAsUTF8AndAskedForAsServed(charset: String, bytes: [UInt8], name: String, reference: String)
        throws
    {
        let listing = try Page(link(bytes), charset: charset).parse()
        #expect(listing.count == 1)
        #expect(try listing.entry(FileName(name)).reference == reference)
    }

    @Test(arguments: ["utf-8", "UTF8", "no-such-charset", "utf-7", "iso-2022-jp", "utf-16", "../x", "", nil])
    func otherwiseNameBytesStayAsTheyAre(charset: String?) throws {
        let listing = try Page(link([0x61, 0xE9, 0xFF]), charset: charset).parse()
        #expect(try listing.entry(FileName(bytes: [0x61, 0xE9, 0xFF])).reference == "/a%E9%FF")
    }

    @Test(arguments: [
        "<meta charset=iso-8859-1>", "<META CHARSET='ISO-8859-1'>",
        "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\">",
    ]) func thePageMayDeclareIt(meta: String) throws {
        let body = Array(meta.utf8) + link([0xE9])
        #expect(try Page(body, charset: nil).names() == ["é"])
        #expect(try Page(body, charset: "utf-8").parse().name(at: 0).bytes == [0xE9])
    }

    @Test func aNameThatIsNoTextOfTheCharsetStaysAsItIs() throws {
        let listing = try Page(link([0x81, 0x20, 0xFF]), charset: "gbk").parse()
        #expect(listing.name(at: 0).bytes == [0x81, 0x20, 0xFF])
    }

    @Test func byteOrderMarkIsNoText() throws {
        let body = [0xEF, 0xBB, 0xBF] + Array("<title>Index of /</title>".utf8) + link(Array("é".utf8))
        var page = Page(body, charset: nil)
        page.mediaType = nil
        #expect(try page.names() == ["é"])
    }

    @Test func privateUseCharactersOfThePageSurvive() throws {
        let name = "\u{F7E9}\u{F700}x"
        #expect(try Page(link(Array(name.utf8))).names() == [name])
    }

    @Test func everyByteComesBack() throws {
        for byte in UInt8.min...UInt8.max where !"\"&#?/: \t\r\n\u{B}\u{C}".utf8.contains(byte) {
            let listing = try Page(Array("<pre>".utf8) + link([0x61, byte, 0x62]), charset: nil).parse()
            #expect(listing.count == (byte == 0 ? 0 : 1), "byte \(byte)")
            guard listing.count == 1 else { continue }
            if byte != 0, byte != UInt8(ascii: "%") { #expect(listing.name(at: 0).bytes == [0x61, byte, 0x62]) }
        }
    }
}
