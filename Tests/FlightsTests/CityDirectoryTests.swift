import Flights
import Platform
import Testing

@Suite struct CityDirectoryTests {
    private func city(_ name: String, _ englishName: String = "", _ code: String = "AAA") -> City {
        City(name: name, englishName: englishName, code: code)
    }

    private func decomposed(_ text: String) -> FileName {
        // é in two characters, which is how some systems write names.
        FileName(text.replacing("é", with: "e\u{301}"))
    }

    @Test func citiesAreFoundByNameCodeAndEnglishName() throws {
        let directory = CityDirectory(try FlightsReader.cities(in: Document.bytes("cities-get.xml")))
        #expect(directory.entries.map(\.name).prefix(3) == ["阿尔山", "北京", "毕节"])
        for name in ["上海", "SHA", "sha", "Shanghai", "shanghai", "SHANGHAI"] {
            #expect(directory.entry(named: FileName(name))?.term == "上海", "\(name)")
            #expect(directory.isListed(FileName(name)) == (name == "上海"))
        }
        #expect(directory.entry(named: "Hong Kong")?.name == "香港")
        #expect(directory.entry(named: "E'erduosi")?.code == "DSN")
        // 大理 and 大理市 are both "dali"; their code means the first.
        #expect(directory.entry(named: "Dali") == nil && directory.entry(named: "yushu") == nil)
        #expect(directory.entry(named: "DLU")?.name == "大理" && directory.entry(named: "YUS")?.name == "玉树")
        #expect(directory.entry(named: "大理市")?.term == "大理市")
        for name in ["", ".", "..", "上", "上海 ", "SHAA", "a/b", "\u{FFFD}", String(repeating: "上", count: 85)] {
            #expect(directory.entry(named: FileName(name)) == nil, "\(name)")
        }
        #expect(directory.entry(named: FileName(bytes: [0xFF, 0xFE])) == nil)
    }

    @Test func oneCityUnderTwoNamesIsOne() throws {
        let directory = CityDirectory([city("大理", "dali", "DLU"), city("大理市", "Dali", "DLU"), city("上海", "", "SHA")])
        let found = try ["大理", "大理市", "上海"].map { try #require(directory.entry(named: FileName($0))) }
        #expect(found[0].isSameCity(as: found[0]) && found[0].isSameCity(as: found[1]))
        #expect(!found[0].isSameCity(as: found[2]))
    }

    @Test func decomposedNamesFindTheCity() {
        let directory = CityDirectory([city("Orléans"), city("Re\u{301}thel", "", "BBB")])
        #expect(directory.entry(named: "Orléans")?.name == "Orléans")
        #expect(directory.entry(named: decomposed("Orléans"))?.name == "Orléans")
        #expect(directory.entry(named: "Réthel")?.term == "Re\u{301}thel")
        #expect(directory.isListed("Orléans") && !directory.isListed(decomposed("Orléans")))
        #expect(directory.isListed(decomposed("Réthel")) && !directory.isListed("Réthel"))
    }

    /// E01.
    @Test func namesThatWouldBreakTheTree() throws {
        let hostile = [
            "A/B", ".", "..", "", "../../etc/passwd", "\u{0}", "a\u{1B}[2J", "\u{202E}b", ".skyfs", "/",
            String(repeating: "长", count: 100),
            String(repeating: "长", count: 101), "Tom & Łucja", "a\nb", String(repeating: "x", count: 5000),
        ]
        let cities = hostile.enumerated().map { city($1, "", "A" + String(UnicodeScalar(UInt8(65 + $0))) + "A") }
        let directory = CityDirectory(cities)
        #expect(directory.entries.count == hostile.count)
        for (entry, name) in zip(directory.entries, hostile) {
            #expect(FileName(entry.name).isValid && !entry.name.hasPrefix("."), "\(name)")
            #expect(entry.name == DisplayText.sanitized(entry.name))
            #expect(directory.entry(named: FileName(entry.name)) == entry)
            // The service gets the name it gave.
            #expect(entry.term == (name.isEmpty ? entry.code : name))
        }
        #expect(directory.entries.map(\.name).prefix(5) == ["A∕B", "．", "．.", "ADA", "．.∕..∕etc∕passwd"])
        #expect(directory.entries[12].name == "Tom & Łucja")
        // Stable: the same in another order.
        let reversed = CityDirectory(cities.reversed())
        #expect(Set(reversed.entries) == Set(directory.entries))
    }

    /// E03.
    @Test func equalNamesAreMadeUnique() {
        let cities = [
            city("Intro", "", "AAA"), city("Intro", "", "BBB"), city("intro", "", "CCC"), city("A/B", "", "DDD"),
            city("A∕B", "", "EEE"), city("C/D", "", "FFF"), city("C∕D", "", "FFF"), city("Intro (AAA)", "", "GGG"),
        ]
        let directory = CityDirectory(cities)
        let names = directory.entries.map(\.name)
        #expect(names.count == cities.count && Set(names).count == cities.count)
        #expect(Array(names[1...4]) == ["Intro (BBB)", "intro", "A∕B (DDD)", "A∕B (EEE)"])
        #expect(names[5].hasPrefix("C∕D~") && names[6].hasPrefix("C∕D~"))
        // "Intro" does not say which: the code does.
        #expect(directory.entries.map(\.term) == ["AAA", "BBB", "intro", "A/B", "A∕B", "C/D", "C∕D", "Intro (AAA)"])
        #expect(Set(CityDirectory(cities.reversed()).entries) == Set(directory.entries))
        #expect(CityDirectory([city("x"), city("x")]).entries.count == 1)
    }

    @Test func builtInCities() {
        let directory = CityDirectory(BuiltInCities.cities)
        #expect(directory.entries.count == BuiltInCities.cities.count && BuiltInCities.cities.count > 150)
        #expect(directory.entries.map(\.name) == BuiltInCities.cities.map(\.name))
        #expect(BuiltInCities.cities.allSatisfy { $0.code.utf8.count == 3 && !$0.englishName.isEmpty })
        #expect(directory.entry(named: "Shanghai")?.code == "SHA" && directory.entry(named: "BJS")?.name == "北京")
        #expect(directory.entry(named: "Yichun") == nil)
    }
}
