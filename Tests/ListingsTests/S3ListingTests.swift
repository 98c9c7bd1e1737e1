import HTTP
import Platform
import Testing

@testable import Listings

struct S3ListingTests {
    private func page(_ text: String, url: String) -> Page {
        var page = Page(text, url: url)
        page.mediaType = "application/xml"
        return page
    }

    private func names(_ listing: Listing) -> [String] { (0..<listing.count).map { listing.name(at: $0).description } }

    private let first = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix></Prefix><Delimiter>%2F</Delimiter><MaxKeys>2</MaxKeys><EncodingType>url</EncodingType><KeyCount>2</KeyCount><IsTruncated>true</IsTruncated><NextContinuationToken>1/ab+c==</NextContinuationToken><Contents><Key>a+b.txt</Key><LastModified>2026-07-06T10:00:00.000Z</LastModified><ETag>&quot;e1&quot;</ETag><Size>6</Size></Contents><Contents><Key>a%2Bb.txt</Key><LastModified>2026-07-06T10:00:00.000Z</LastModified><ETag>&quot;e2&quot;</ETag><Size>5</Size></Contents></ListBucketResult>
        """

    private let second = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix></Prefix><EncodingType>url</EncodingType><KeyCount>2</KeyCount><IsTruncated>false</IsTruncated><Contents><Key>100%25.csv</Key><LastModified>2026-07-06T10:00:00.000Z</LastModified><ETag>&quot;e3&quot;</ETag><Size>4</Size></Contents><CommonPrefixes><Prefix>run+books/</Prefix></CommonPrefixes></ListBucketResult>
        """

    @Test func encodedKeysOverTwoPages() throws {
        let bucket = S3Bucket(containing: try HTTPURL.parse("http://127.0.0.1:8080/").url)
        let request = try #require(bucket.request(for: bucket.root))
        #expect(request.target == "/?delimiter=%2F&encoding-type=url&list-type=2&prefix=")
        var paged = PagedListing(first: request)
        let next = try #require(try paged.append(try page(first, url: request.text).page()))
        #expect(
            next.target
                == "/?continuation-token=1%2Fab%2Bc%3D%3D&delimiter=%2F&encoding-type=url&list-type=2&prefix=")
        let last = try page(second, url: next.text).page()
        #expect(last.format == .s3(bucket))
        #expect(try paged.append(last) == nil)
        #expect(names(paged.listing) == ["a b.txt", "a+b.txt", "100%.csv", "run books"])
        #expect(try paged.listing.entry("a b.txt").reference == "/a%20b.txt")
        #expect(try paged.listing.entry("a+b.txt").reference == "/a%2Bb.txt")
        #expect(try paged.listing.entry("a+b.txt").size == .exact(5))
        #expect(try paged.listing.entry("a+b.txt").modified == 1_783_332_000)
        #expect(try paged.listing.entry("run books").kind == .directory)
        #expect(try paged.listing.entry("run books").reference == "/run%20books/")
    }

    @Test func keysAreLiteralWhereTheAnswerDoesNotSayThatTheyAreEncoded() throws {
        let text = first.replacing("<EncodingType>url</EncodingType>", with: "")
            .replacing("<IsTruncated>true", with: "<IsTruncated>false")
        let listing = try page(text, url: "http://127.0.0.1/?delimiter=%2F&encoding-type=url&list-type=2&prefix=")
            .parse()
        #expect(names(listing) == ["a+b.txt", "a%2Bb.txt"])
        #expect(listing[1].reference == "/a%252Bb.txt")
    }

    @Test func keysThatCannotBothExist() throws {
        let root = try page(
            "<?xml version=\"1.0\"?>\n<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>d</Key><Size>3</Size></Contents><Contents><Key>z.txt</Key><Size>2</Size></Contents><CommonPrefixes><Prefix>/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes></ListBucketResult>",
            url: "http://127.0.0.1/?delimiter=%2F&list-type=2&prefix="
        ).parse()
        #expect(names(root) == ["d", "z.txt"])
        #expect(root[0] == ListingEntry(name: "d", reference: "/d/", kind: .directory))
        #expect(root.skipped == 2)
        let below = try page(
            "<?xml version=\"1.0\"?>\n<ListBucketResult><Prefix>d/</Prefix><IsTruncated>false</IsTruncated><Contents><Key>d/</Key><Size>0</Size></Contents><Contents><Key>d/f</Key><Size>2</Size></Contents><CommonPrefixes><Prefix>d//</Prefix></CommonPrefixes></ListBucketResult>",
            url: "http://127.0.0.1/?delimiter=%2F&list-type=2&prefix=d%2F"
        ).parse()
        #expect(names(below) == ["f"])
        #expect(below[0].reference == "/d/f")
        #expect(below[0].size == .exact(2))
    }

    @Test func aListOfARealServer() throws {
        var page = try Page(named: "moto-s3", type: "xml", charset: "utf-8")
        page.url = "http://127.0.0.1:8080/bucket/?delimiter=%2F&encoding-type=url&list-type=2&prefix=pub%2F"
        let listing = try page.parse()
        #expect(
            Set(names(listing)) == [
                "..dots", "100%.txt", "a b&c.txt", "a\"q\".txt", "a+b;c.txt", "a:b.txt", "back\\slash.txt", "d",
                "h#.txt",
                "it's <x>.txt", "one.txt", "q?.txt", "r.bin", "tab\tname", "é上海.txt", "d1", "double", "sub dir",
            ])
        #expect(try listing.entry("r.bin").size == .exact(1273))
        #expect(try listing.entry("r.bin").reference == "/bucket/pub/r.bin")
        #expect(try listing.entry("é上海.txt").reference == "/bucket/pub/%C3%A9%E4%B8%8A%E6%B5%B7.txt")
        #expect(try listing.entry("d").kind == .directory)
        #expect(try listing.entry("sub dir").reference == "/bucket/pub/sub%20dir/")
        // "..", "../", "//", and the object "d".
        #expect(listing.skipped == 4)
    }

    @Test(arguments: [
        (
            "moto-s3-first", "&list-type=2",
            "/bucket/?continuation-token=c0d76a2fef5d19cab9c6fda51c9c447d&delimiter=%2F&encoding-type=url&list-type=2&prefix=pub%2F"
        ),
        (
            "moto-s3-v1", "",
            "/bucket/?delimiter=%2F&encoding-type=url&marker=041a7efab8ace80c0ee87ebdea518c2b&prefix=pub%2F"
        ),
    ]) func theFirstPageOfARealServer(name: String, version: String, next: String) throws {
        var page = try Page(named: name, type: "xml", charset: "utf-8")
        page.url = "http://127.0.0.1:8080/bucket/?delimiter=%2F&encoding-type=url\(version)&prefix=pub%2F"
        #expect(try page.page().next?.target == next)
    }

    @Test func versionOneGoesOnBehindTheLastKey() throws {
        let text = """
            <ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>p/b</Key></Contents>\
            <CommonPrefixes><Prefix>p/c d/</Prefix></CommonPrefixes></ListBucketResult>
            """
        let next = try page(text, url: "http://h/?delimiter=/&prefix=p/").page().next
        #expect(next?.target == "/?delimiter=%2F&encoding-type=url&marker=p%2Fc%20d%2F&prefix=p%2F")
        let nothing = "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"
        #expect(throws: ListingError.malformed("it goes on, but does not say where")) {
            try page(nothing, url: "http://h/?delimiter=/&prefix=p/").page()
        }
    }

    @Test func aBucketAskedLikeAnyURLIsAskedAgainGrouped() throws {
        for url in ["https://h/bucket", "https://h/bucket/"] {
            let answer = try page(first, url: url).page()
            #expect(answer.listing.count == 0)
            #expect(answer.next?.text == "https://h/bucket/?delimiter=%2F&encoding-type=url&list-type=2&prefix=")
            #expect(answer.format == .s3(S3Bucket(root: try HTTPURL.parse("https://h/bucket").url)))
        }
        let start = Array(first.utf8.prefix(400))
        let url = try HTTPURL.parse("https://h/bucket").url
        #expect(ListingParser.isListing(start, mediaType: "application/xml", url: url))
    }

    @Test func aSignedListIsTakenAsItIs() throws {
        let url = "https://h/bucket?X-Amz-Signature=00"
        let text = """
            <ListBucketResult><Contents><Key>a</Key><Size>1</Size></Contents><Contents><Key>d/b</Key></Contents>\
            <Contents><Key>d/c</Key></Contents></ListBucketResult>
            """
        let answer = try page(text, url: url).page()
        #expect(names(answer.listing) == ["a", "d"])
        #expect(answer.next == nil)
        #expect(throws: ListingError.self) { try page(first, url: url).page() }
    }

    @Test(arguments: [
        (
            "<Error><Code>NoSuchBucket</Code><Message>It is\nnot there</Message></Error>",
            "S3 says NoSuchBucket: It is\u{FFFD}not there"
        ),
        ("<Error/>", "S3 says an error"), ("<?xml version=\"1.0\"?><rss></rss>", "an XML document, rss"),
        ("<Error><Code>SlowDown</Code><Mess", "S3 says an error"),
    ]) func otherDocumentsAreNoListing(text: String, words: String) {
        #expect(throws: ListingError.notAListing(words)) { try page(text, url: "http://h/").parse() }
    }

    @Test(arguments: [
        "", "<ListBucketResult>", "<!DOCTYPE x [<!ENTITY a \"b\">]><ListBucketResult/>",
        "<ListBucketResult><Contents><Key>a</Key>",
    ]) func brokenDocuments(text: String) {
        #expect { try page(text, url: "http://h/?delimiter=/").parse() } throws: { error in
            if case .malformed? = error as? ListingError { true } else { false }
        }
    }

    @Test func manyKeysStaySmall() throws {
        var text = "<ListBucketResult><EncodingType>url</EncodingType>"
        for number in 0..<20_000 {
            text +=
                "<Contents><Key>p/k\(number)</Key><LastModified>2026-07-06T10:00:00.000Z</LastModified><Size>1</Size></Contents>"
        }
        let listing = try page(text + "</ListBucketResult>", url: "http://h/?delimiter=/&prefix=p/").parse()
        #expect(listing.count == 20_000)
        #expect(listing.bytesUsed < 3 << 20)
    }
}
