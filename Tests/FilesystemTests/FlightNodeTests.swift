import Flights
import Platform
import Testing

@testable import Filesystem

struct FlightNodeTests {
    @Test func numbersSayWhatANodeIs() {
        let cities = [0, 1, 237, 1 << 13, 1 << 14 - 1]
        var nodes: [FlightNode] = [.root]
        for from in cities {
            nodes.append(.city(from))
            for to in cities {
                nodes.append(.route(from, to))
                for day in ["0001-01-01", "1969-12-31", "2026-12-24", "9999-12-31"] {
                    for format in FlightFormat.allCases {
                        guard let date = FlightDate(day) else { continue }
                        nodes.append(.file(from, to, FlightFileName(date: date, format: format)))
                    }
                }
            }
        }
        #expect(nodes.count == 1 + 5 + 25 + 25 * 16)
        #expect(Set(nodes.map(\.number)).count == nodes.count)
        for node in nodes {
            #expect(FlightNode(number: node.number) == node)
            // What a branch may use.
            #expect(node.number > 0 && node.number < 1 << 56)
        }
        #expect(FlightNode(number: 0) == nil)
    }

    @Test func spellingsNeverTakeTheListedNamesNumbers() {
        var numbers = CityNumbers()
        for index in 0..<20_000 { _ = numbers.number(of: FileName("alias \(index)"), isListed: false) }
        #expect(numbers.number(of: "another", isListed: false) == nil)
        for index in 0..<8192 {
            let name = FileName("city \(index)")
            let number = numbers.number(of: name, isListed: true)
            #expect(number.flatMap { numbers.name($0) } == name)
        }
        #expect(numbers.number(of: "city 8192", isListed: true) == nil)
        #expect(numbers.number(of: "city 7", isListed: true) == 8192 + 7)
        #expect(numbers.name(-1) == nil && numbers.name(1 << 14) == nil)
    }
}
