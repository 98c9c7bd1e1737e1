import FuzzDriver
import HTTP
import Listings

/// The first byte of the input chooses how the answer was served, the rest is the answer.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = input(bytes, count)
    guard let choice = input.first, let url = try? HTTPURL.parse("http://127.0.0.1/pub/").url else { return 0 }
    let page = try? ListingParser.parse(
        Array(input.dropFirst()), mediaType: "application/json", charset: choice & 1 == 0 ? "utf-8" : "gbk", url: url,
        allowsExternalLinks: choice & 4 != 0)
    if let page { check(page.listing) }
    return 0
}

/// SwiftPM renames an executable's `main` to this name.
@_cdecl("JSONListingFuzz_main")
public func main(_ count: Int32, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    runFuzzer(count, arguments, testOneInput)
}
