import Glibc

/// Invented flights: the same for the same cities and day, whenever they are asked for. Pure.
enum DomesticAirlineTimetable {
    private static let airlines = [
        ("东方航空", "MU"), ("南方航空", "CZ"), ("中国国航", "CA"), ("海南航空", "HU"), ("吉祥航空", "HO"), ("春秋航空", "9C"), ("四川航空", "3U"),
        ("深圳航空", "ZH"),
    ]
    private static let aircraft = ["333", "330", "325", "321", "320", "738", "737", "76A", "JET"]
    private static let airports = [
        "上海": ["上海虹桥国际机场", "上海浦东国际机场"], "北京": ["北京首都国际机场", "北京大兴国际机场"], "成都": ["成都双流国际机场", "成都天府国际机场"],
        "广州": ["广州白云国际机场"], "深圳": ["深圳宝安国际机场"], "厦门": ["厦门高崎国际机场"],
    ]

    /// Rows in the order of the service's columns, earliest first; none on about every eleventh day.
    /// - Parameter day: days since 1970.
    static func rows(from: String, to: String, day: Int) -> [[String]] {
        var numbers = Numbers(seed: "\(from) \(to) \(day)")
        guard from != to, numbers.next(11) != 0 else { return [] }
        let departures = (0..<numbers.next(12) + 1).map { _ in 6 * 60 + numbers.next(200) * 5 }.sorted()
        var rows: [[String]] = []
        for departure in departures {
            let arrival = departure + 60 + numbers.next(36) * 5
            let places = [airport(of: from, &numbers), airport(of: to, &numbers)]
            let times = [clock(departure), clock(arrival)]
            let rest = [
                aircraft[numbers.next(aircraft.count)], numbers.next(8) == 0 ? "1" : "0",
                week(containing: day, &numbers),
            ]
            // Every fifth is sold by a second airline too.
            for _ in 0..<(numbers.next(5) == 0 ? 2 : 1) {
                let airline = airlines[numbers.next(airlines.count)]
                rows.append([airline.0, "\(airline.1)9\(100 + rows.count)"] + places + times + rest)
            }
        }
        return rows
    }

    private static func airport(of city: String, _ numbers: inout Numbers) -> String {
        guard let known = airports[city] else { return "\(city)机场" }
        return known[numbers.next(known.count)]
    }

    private static func week(containing day: Int, _ numbers: inout Numbers) -> String {
        let letters = Array("123456日")
        let today = ((day + 3) % 7 + 7) % 7
        return String(letters.indices.filter { $0 == today || numbers.next(3) != 0 }.map { letters[$0] })
    }

    private static func clock(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60 % 24, minutes % 60)
        return (hour < 10 ? "0" : "") + "\(hour)" + (minute < 10 ? ":0" : ":") + "\(minute)"
    }

    /// SplitMix64, started with the FNV-1a hash of a text.
    private struct Numbers {
        private var state: UInt64

        init(seed: String) { state = seed.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }

        mutating func next(_ limit: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((value ^ (value >> 31)) % UInt64(limit))
        }
    }
}

/// A day as the service reads it.
enum DomesticAirlineDay {
    /// - Parameter text: "2026-12-04" or "2026-12-4"; empty for today in China.
    /// - Returns: days since 1970, nil for no day.
    static func number(_ text: String) -> Int? {
        if text.isEmpty { return (time(nil) + 8 * 3600) / 86_400 }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2], 1...9999 ~= year else {
            return nil
        }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (year - 1900, month - 1, day)
        let seconds = timegm(&fields)
        // A day that does not exist comes back as another.
        guard fields.tm_mon == month - 1, fields.tm_mday == day else { return nil }
        return Int((Double(seconds) / 86_400).rounded(.down))
    }
}
