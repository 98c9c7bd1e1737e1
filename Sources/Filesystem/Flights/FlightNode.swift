import Flights
import Platform

/// What a node of the flights tree stands for. Its number says all of it, so the kernel may name any node at any time and
/// nothing is kept for it.
enum FlightNode: Hashable, Sendable {
    case root
    /// Numbers are those of `CityNumbers`.
    case city(Int)
    case route(Int, Int)
    case file(Int, Int, FlightFileName)

    /// Bits of a city's number: more names than any list has.
    static let cityBits: Int64 = 14
    /// Days from 0000-01-01 to 9999-12-31 fit, counted from `firstDay`.
    private static let dayBits: Int64 = 23
    private static let firstDay = -720_000

    private static let formats = FlightFormat.allCases

    /// From the lowest bit: kind and format (3 bits), from, to, day.
    var number: Int64 {
        switch self {
        case .root: 1
        case .city(let from): 2 | Int64(from) << 3
        case .route(let from, let to): 3 | Int64(from) << 3 | Int64(to) << (3 + Self.cityBits)
        case .file(let from, let to, let name):
            Int64(4 + (Self.formats.firstIndex(of: name.format) ?? 0)) | Int64(from) << 3
                | Int64(to) << (3 + Self.cityBits)
                | Int64(name.date.dayNumber - Self.firstDay) << (3 + 2 * Self.cityBits)
        }
    }

    init?(number: Int64) {
        let mask = (Int64(1) << Self.cityBits) - 1
        let from = Int(number >> 3 & mask)
        let to = Int(number >> (3 + Self.cityBits) & mask)
        switch number & 7 {
        case 1: self = .root
        case 2: self = .city(from)
        case 3: self = .route(from, to)
        case 4...7:
            let day = Int(number >> (3 + 2 * Self.cityBits) & ((1 << Self.dayBits) - 1)) + Self.firstDay
            self = .file(
                from, to,
                FlightFileName(date: FlightDate(dayNumber: day), format: Self.formats[Int(number & 7) - 4]))
        default: return nil
        }
    }
}
