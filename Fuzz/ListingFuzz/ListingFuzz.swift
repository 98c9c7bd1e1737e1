import FuzzDriver
import HTTP
import Listings

/// The first byte of the input chooses how the page was served, the rest is the page.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = input(bytes, count)
    guard let choice = input.first, let url = try? HTTPURL.parse("http://127.0.0.1/pub/").url else { return 0 }
    let charsets = ["utf-8", "iso-8859-1", "gbk", nil]
    let page = try? ListingParser.parse(
        Array(input.dropFirst()), mediaType: "text/html", charset: charsets[Int(choice & 3)], url: url,
        allowsExternalLinks: choice & 4 != 0)
    guard let page else { return 0 }
    check(page.listing)
    if let next = page.next { precondition(next.origin == url.origin && next != url) }
    return 0
}

/// SwiftPM renames an executable's `main` to this name.
@_cdecl("ListingFuzz_main")
public func main(_ count: Int32, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    runFuzzer(count, arguments, testOneInput)
}
