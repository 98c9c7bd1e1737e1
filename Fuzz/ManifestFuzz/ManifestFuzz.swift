import FuzzDriver
import HTTP
import Listings

/// The input is a manifest: each of its directories is listed in the one above, each of its references a URL.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let manifest = try? Manifest(input(bytes, count)) else { return 0 }
    for path in manifest.paths {
        guard let listing = manifest.listing(of: path) else { preconditionFailure("a path without a directory") }
        precondition(listing.skipped == 0)
        check(listing)
        for index in 0..<listing.count {
            let entry = listing[index]
            let isOwn = manifest.listing(of: path + [entry.name]) != nil
            precondition(isOwn ? entry.kind == .directory : (try? HTTPURL.parse(entry.reference)) != nil)
        }
    }
    return 0
}

/// SwiftPM renames an executable's `main` to this name.
@_cdecl("ManifestFuzz_main")
public func main(_ count: Int32, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    runFuzzer(count, arguments, testOneInput)
}
