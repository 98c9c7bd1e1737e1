/// What libFuzzer calls with each input. C decides its form.
public typealias FuzzTest = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer, _ test: FuzzTest
) -> Int32

/// Runs libFuzzer with a program's arguments.
public func runFuzzer(_ count: Int32, _ arguments: UnsafeMutableRawPointer, _ test: FuzzTest) -> Int32 {
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments, test)
}

/// The input as an array.
// SAFETY: libFuzzer gives `count` readable bytes for the time of the call.
public func input(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: bytes, count: count))
}
