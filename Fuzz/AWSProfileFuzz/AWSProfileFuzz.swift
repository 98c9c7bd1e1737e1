import FuzzDriver
import Listings

/// The input is a credentials file.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let profile = AWSProfile(input(bytes, count), name: "default") else { return 0 }
    guard let credentials = AWSCredentials(profile) else { return 0 }
    for value in [credentials.accessKey, credentials.secretKey] {
        precondition(!value.isEmpty && !value.contains(where: \.isNewline))
    }
    return 0
}

/// SwiftPM renames an executable's `main` to this name.
@_cdecl("AWSProfileFuzz_main")
public func main(_ count: Int32, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    runFuzzer(count, arguments, testOneInput)
}
