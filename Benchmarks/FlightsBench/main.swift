import CXML
import Flights
import FoundationEssentials
import Platform

/// Reads a document of flights 100 times in each of three ways, in turn, and prints the medians in milliseconds: libxml2's
/// text reader walking all nodes, the reader of Flights, and that with the table for a terminal.
let path = CommandLine.arguments.dropFirst().first ?? "/dev/stdin"
let document = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
let date = FlightDate(dayNumber: 20_000)

func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = Instant.now()
    try work()
    return (Instant.now() - start).inSeconds * 1000
}

func walk() {
    document.withUnsafeBytes { bytes in
        let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        let reader = xmlReaderForMemory(base, Int32(bytes.count), nil, nil, Int32(XML_PARSE_NONET.rawValue))
        while xmlTextReaderRead(reader) == 1 {
            _ = xmlTextReaderConstLocalName(reader)
            _ = xmlTextReaderConstValue(reader)
        }
        xmlFreeTextReader(reader)
    }
}

func text(_ flights: [Flight]) -> String {
    FlightsText.text(FlightsReport(from: "上海", to: "北京", date: date, flights: flights, source: "bench", fetched: 0))
}

var walked: [Double] = []
var read: [Double] = []
var rendered: [Double] = []
var rows = 0
for _ in 0..<100 {
    walked.append(milliseconds(walk))
    try read.append(milliseconds { rows = try FlightsReader.flights(in: document).count })
    try rendered.append(milliseconds { _ = text(try FlightsReader.flights(in: document)) })
}
let medians = [walked, read, rendered].map { $0.sorted()[50] }
print("{\"rows\": \(rows), \"libxml2\": \(medians[0]), \"read\": \(medians[1]), \"rendered\": \(medians[2])}")
