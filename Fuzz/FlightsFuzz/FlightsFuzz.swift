import Flights
import Platform

/// libFuzzer's entry: the input is a document of the flight service.
// SAFETY: libFuzzer gives `count` readable bytes for the time of the call.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let document = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let flights = try? FlightsReader.flights(in: document) {
        let report = FlightsReport(
            from: "a", to: "b", date: FlightDate(dayNumber: count), flights: flights, source: "c", fetched: Int64(count)
        )
        for line in FlightsText.text(report).split(separator: "\n") {
            precondition(String(line) == DisplayText.sanitized(String(line)))
        }
        precondition(FlightsJSON.text(report).hasSuffix("}\n") && FlightsCSV.text(report).hasSuffix("\r\n"))
    }
    if let cities = try? FlightsReader.cities(in: document) {
        let directory = CityDirectory(cities)
        for entry in directory.entries {
            precondition(FileName(entry.name).isValid && !entry.term.isEmpty)
            precondition(directory.entry(named: FileName(entry.name)) == entry)
            precondition(entry.name == DisplayText.sanitized(entry.name))
        }
    }
    precondition(!FlightsReader.failure(status: 500, body: document).description.isEmpty)
    return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// SwiftPM renames an executable's `main` to this name.
@_cdecl("FlightsFuzz_main")
public func main(_ count: Int32, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments, testOneInput)
}
