import FuzzDriver
import HTTP
import Listings

/// The first byte of the input chooses what was asked for, the rest is the answer: of an S3 server or a WebDAV server.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = input(bytes, count)
    let urls = [
        "http://127.0.0.1/pub/", "http://127.0.0.1/bucket/?delimiter=%2F&encoding-type=url&list-type=2&prefix=pub%2F",
        "http://127.0.0.1/?X-Amz-Signature=00", "http://127.0.0.1/bucket",
    ]
    guard let choice = input.first, let url = try? HTTPURL.parse(urls[Int(choice & 3)]).url else { return 0 }
    let page = try? ListingParser.parse(
        Array(input.dropFirst()), mediaType: "application/xml", charset: nil, url: url, allowsExternalLinks: false)
    guard let page else { return 0 }
    check(page.listing)
    if let next = page.next { precondition(next.origin == url.origin && next != url) }
    return 0
}

/// SwiftPM renames an executable's `main` to this name.
@_cdecl("XMLListingFuzz_main")
public func main(_ count: Int32, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    runFuzzer(count, arguments, testOneInput)
}
