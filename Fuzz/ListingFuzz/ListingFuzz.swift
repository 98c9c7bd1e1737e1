import HTTP
import Listings
import Platform

/// libFuzzer's entry: the first byte of the input chooses how the page was served, the rest is the page.
// SAFETY: libFuzzer gives `count` readable bytes for the time of the call.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: bytes, count: count)
    guard let choice = input.first, let url = try? HTTPURL.parse("http://127.0.0.1/pub/").url else { return 0 }
    let charsets = ["utf-8", "iso-8859-1", "gbk", nil]
    let listing = try? ListingParser.parse(
        Array(input.dropFirst()), mediaType: "text/html", charset: charsets[Int(choice & 3)], url: url,
        allowsExternalLinks: choice & 4 != 0)
    guard let listing else { return 0 }
    for index in 0..<listing.count {
        let entry = listing[index]
        precondition(entry.name.isValid && listing.index(of: entry.name) == index)
        precondition(entry.reference.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
    return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// SwiftPM renames an executable's `main` to this name.
@_cdecl("ListingFuzz_main")
public func main(_ count: Int32, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments, testOneInput)
}
