import Testing
import Uploads

struct MediaTypesTests {
    private let types = MediaTypes(
        text: """
            # comment
            application/gzip\t\t\t\tgz
            application/x-compressed-tar tar.gz tgz # tgz too
            text/plain txt\tTXT2
            text/x-other txt
            image/jpeg jpg jpeg
            application/vnd.nothing

            not-a-type bad
            a/b/c worse
            te xt/plain odd
            text/pl(ain paren
            """ + "\r\napplication/x-crlf crlf\r\n")

    @Test(arguments: [
        ("a.txt", "text/plain"), ("a.gz", "application/gzip"), ("a.tar.gz", "application/x-compressed-tar"),
        ("a.b.tar.gz", "application/x-compressed-tar"), ("PHOTO.JPG", "image/jpeg"), ("a.TXT2", "text/plain"),
        ("a.txt2", MediaTypes.unknown), ("a.crlf", "application/x-crlf"), (".txt", "text/plain"),
        ("txt", MediaTypes.unknown), ("a.", MediaTypes.unknown), ("", MediaTypes.unknown),
        ("a.bad", MediaTypes.unknown),
        ("a.worse", MediaTypes.unknown), ("a.odd", MediaTypes.unknown), ("a.paren", MediaTypes.unknown),
        ("报告.jpeg", "image/jpeg"), ("a.txt.bak", MediaTypes.unknown), ("a.tgz", "application/x-compressed-tar"),
        ("a.#", MediaTypes.unknown), ("a.too", MediaTypes.unknown),
    ])
    func typeByName(name: String, type: String) {
        #expect(types.type(of: name) == type)
    }

    @Test func withoutATableEverythingIsAnOctetStream() {
        #expect(MediaTypes(text: "").type(of: "a.txt") == "application/octet-stream")
    }
}
