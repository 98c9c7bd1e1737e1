package import Platform

/// The cities as a directory: one safe and unique name for each, and the other names it is found by. The same cities have
/// the same names in whatever order they come.
package struct CityDirectory: Sendable {
    package struct Entry: Hashable, Sendable {
        /// A valid file name, unique in the directory.
        package let name: String
        /// What the service takes as this city in a query: its name as received, or its code where the name is not unique.
        package let term: String
        package let code: String

        /// Whether no flight can go from one to the other: two names of what the service means by one code are one city.
        package func isSameCity(as other: Entry) -> Bool { name == other.name || code == other.code }
    }

    /// In the order of the list, repetitions left out.
    package let entries: [Entry]
    // Strings are equal when they are canonically equivalent, so a decomposed name finds a composed one.
    private let listed: [String: Int]
    private let aliases: [String: Int]

    package init(_ cities: [City]) {
        var seen: Set<[String]> = []
        let cities = cities.filter { seen.insert([$0.name, $0.code]).inserted }
        let names = Self.uniqueNames(of: cities)
        let owners = Self.counted(cities.map(\.name))
        var entries: [Entry] = []
        var listed: [String: Int] = [:]
        var englishNames: [String: [Int]] = [:]
        for (city, name) in zip(cities, names) where listed[name] == nil {
            let isTelling = !city.name.isEmpty && owners[city.name] == 1
            listed[name] = entries.count
            englishNames[city.englishName.lowercased(), default: []].append(entries.count)
            entries.append(Entry(name: name, term: isTelling ? city.name : city.code, code: city.code))
        }
        var aliases: [String: Int] = [:]
        for (name, indices) in englishNames where indices.count == 1 && !name.isEmpty { aliases[name] = indices[0] }
        // Of the names of one code the shortest is meant, 大理 before 大理市.
        for (code, indices) in Dictionary(grouping: entries.indices, by: { entries[$0].code.lowercased() }) {
            aliases[code] = indices.min { Self.isPlainer(entries[$0].name, entries[$1].name) }
        }
        self.entries = entries
        self.listed = listed
        self.aliases = aliases
    }

    /// Finds a city by its listed name, its code or its English name if no other has it; the latter two in any case.
    package func entry(named name: FileName) -> Entry? {
        guard let text = String(validating: name.bytes, as: UTF8.self) else { return nil }
        return (listed[text] ?? aliases[text.lowercased()]).map { entries[$0] }
    }

    /// Whether this is the name the directory lists, not one it only finds.
    package func isListed(_ name: FileName) -> Bool {
        entry(named: name).map { Array($0.name.utf8) == name.bytes } ?? false
    }

    /// Safe names. Those that several cities would share get the code added, and where that does not help, a checksum.
    private static func uniqueNames(of cities: [City]) -> [String] {
        let plain = cities.map { city in [city.name, city.englishName].first { !$0.isEmpty } ?? city.code }
        var names = plain.map(CityName.safe)
        for step in [
            { CityName.safe("\(plain[$0]) (\(cities[$0].code))") },
            { CityName.marked(plain[$0], by: "\(plain[$0])\t\(cities[$0].code)") },
        ] as [(Int) -> String] {
            let owners = counted(names)
            for index in names.indices where owners[names[index], default: 0] > 1 { names[index] = step(index) }
        }
        return names
    }

    private static func counted(_ names: [String]) -> [String: Int] {
        names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    private static func isPlainer(_ name: String, _ other: String) -> Bool {
        name.utf8.count == other.utf8.count ? name < other : name.utf8.count < other.utf8.count
    }
}
