import Foundation
import LoopbackServer
import MountHarness
import Testing

/// The names and attributes of the flights tree, none of which costs a request for flights.
struct FlightTreeTests {
    @Test func lookingAroundAsksForNoFlights() async throws {
        try await withFlights { flights async throws in
            let cities = try await flights.mount.list("flights")
            #expect(cities.count == 41 && cities.contains("上海"))
            let looked = try await flights.text(
                """
                set -e
                ls -lR $F/上海 > /dev/null
                find $F -maxdepth 2 -printf . | wc -c
                find $F/北京 -type f -ls > /dev/null
                stat $F/北京/*/*.txt > /dev/null
                du -s $F/上海/北京 > /dev/null
                compgen -f $F/上海/北京/ > /dev/null
                for name in .hidden .directory .git desktop.ini autorun.inf .Trash-0 Thumbs.db .xdg-volume-info; do
                    for place in $F $F/上海 $F/上海/北京; do ! stat $place/$name 2> /dev/null; done
                done
                getfattr -d -R $F/上海/北京 > /dev/null
                """)
            #expect(looked == "\(1 + 41 + 41 * 40 - 2)\n", "\(looked)")  // 大理 and 大理市 are one city
            #expect(flights.asked == 0)
            #expect(flights.askedForCities <= 1)
        }
    }

    @Test func codesAndEnglishNamesFindTheCityAndAreNotListed() async throws {
        try await withFlights { flights async throws in
            let first = try await flights.text("cat $F/上海/北京/2026-12-24.csv")
            for (from, to) in [("SHA", "BJS"), ("sha", "bjs"), ("Shanghai", "Beijing"), ("shanghai", "北京")] {
                #expect(try await flights.text("cat $F/\(from)/\(to)/2026-12-24.csv") == first)
            }
            #expect(flights.asked == 1)
            #expect(try await flights.text("cd \"$F/Hong Kong/Xi'an\" && ls | wc -l") == "8\n")
            // Two cities are called Yichun.
            #expect(try await flights.sh("ls $M/flights/Yichun").fails(with: "No such file"))
            #expect(try await flights.text("ls $F/yic/上海 | wc -l") == "8\n")
            let names = try await flights.mount.list("flights")
            #expect(!names.contains { $0.utf8.allSatisfy { $0 < 0x80 } }, "\(names)")
        }
    }

    @Test func sameCityIsMissing() async throws {
        try await withFlights { flights async throws in
            for path in ["上海/上海", "上海/SHA", "SHA/Shanghai", "大理/大理市"] {
                #expect(try await flights.cat("\(path)/2026-12-24.txt").fails(with: "No such file"), "\(path)")
            }
            #expect(!(try await flights.mount.list("flights/上海")).contains("上海"))
            #expect(flights.asked == 0)
        }
    }

    @Test func routeListsTodayAndTheNextSevenDaysOfTheService() async throws {
        try await withFlights { flights async throws in
            let days = #"for i in 0 1 2 3 4 5 6 7; do TZ=UTC-8 date -d "+$i days" +%F.txt; done"#
            // Midnight may pass in between.
            let before = try await flights.text(days)
            let listed = try await flights.text("ls $F/上海/北京")
            let after = try await flights.text(days)
            #expect(listed == before || listed == after, "\(listed)")
        }
    }

    @Test func everyDayIsThereByNameAndNothingElse() async throws {
        try await withFlights { flights async throws in
            let there = ["2026-12-04.txt", "0001-01-01.txt", "9999-12-31.json", "2024-02-29.csv", "2000-02-29.xml"]
            for name in there {
                #expect(try await flights.mount.stat("flights/上海/北京/\(name)", "%s %F") == "0 regular empty file")
            }
            let missing = [
                "2026-02-30.txt", "0000-00-00.txt", "2026-13-01.txt", "2026-00-10.txt", "2026-12-00.txt",
                "2025-02-29.txt",
                "1900-02-29.txt", "2026-12-4.txt", "26-12-04.txt", "2026-12-04", "2026-12-04.TXT", "2026-12-04.pdf",
                "2026-12-04.txt.txt", " 2026-12-04.txt", "2026-12-04 .txt", "+026-12-04.txt", "２０２６-12-04.txt",
                "0000-01-01.txt", "10000-01-01.txt", "2026/12-04.txt", String(repeating: "9", count: 255),
                String(repeating: "x", count: 300), "%41.txt",
                "2026-12-04.txt\n", "\u{202E}.txt",
            ]
            for name in missing {
                let command = try await flights.cat("上海/北京/\(name)")
                #expect(command.fails(with: "No such file"), "\(name): \(command)")
            }
            #expect(try await flights.cat("上海/北京/2026-12-24.txt/x").fails(with: "Not a directory"))
            for city in ["亚特兰蒂斯", "XXX", "上", "上海 ", "*", "\u{FF0E}.", String(repeating: "海", count: 85)] {
                #expect(try await flights.cat("\(city)/北京/2026-12-24.txt").fails(with: "No such file"), "\(city)")
                #expect(try await flights.cat("北京/\(city)/2026-12-24.txt").fails(with: "No such file"), "\(city)")
            }
            #expect(flights.asked == 0)
        }
    }

    @Test func nothingCanBeWritten() async throws {
        try await withFlights { flights async throws in
            let script = """
                echo x > $M/flights/上海/北京/2026-12-24.txt; echo x > $M/flights/new; mkdir $M/flights/上海/new
                rm $M/flights/上海/北京/2026-12-24.txt; mv $M/flights/上海 $M/flights/b; true
                """
            let tried = try await flights.sh(script)
            #expect(tried.errors.split(separator: "\n").count == 5, "\(tried)")
            #expect(tried.errors.split(separator: "\n").allSatisfy { $0.contains("Read-only file system") }, "\(tried)")
            #expect(flights.asked == 0)
        }
    }

    @Test func equivalentSpellingsFindTheSameCity() async throws {
        let cities = FlightScene.cities([
            ("Ürümqi", "Île é", "URC"), ("Beijing", "北京", "BJS"), ("Gaga", "가가", "GGA"),
        ])
        try await withFlights(instead: { $0.path == FlightScene.citiesPath ? cities : nil }) { flights async throws in
            for name in ["Île é", "가가", "Ürümqi"] {
                for spelling in [name.precomposedStringWithCanonicalMapping, name.decomposedStringWithCanonicalMapping]
                {
                    #expect(try await flights.mount.list("flights/北京/\(spelling)").count == 8, "\(name)")
                    #expect(try await flights.mount.list("flights/\(spelling)/北京").count == 8, "\(name)")
                }
            }
        }
    }

    /// A list of cities that would break a tree, a terminal or a query.
    @Test func hostileNamesOfCitiesAreSafe() async throws {
        let long = String(repeating: "长", count: 100)
        let rows: [(english: String, chinese: String, code: String)] = [
            ("Beijing", "北京", "BJS"), ("a", "..", "AAA"), ("b", ".", "AAB"), ("c", "a/b", "AAC"), ("d", "/", "AAD"),
            ("e", "", "AAE"), ("f", long, "AAF"), ("g", long + "二", "AAG"), ("h", "x\u{202E}y", "AAH"),
            ("i", "x\u{9B}31my", "AAI"), ("j", "双", "AAJ"), ("k", "双", "AAK"), ("l", ".skyfs", "AAL"),
            ("m", "a&amp;b&lt;c&gt;", "AAM"), ("n", "..&#x2F;..&#x2F;etc", "AAN"), ("o", "a&#10;b", "AAO"),
            ("p", "~", "AAP"),
        ]
        let cities = FlightScene.cities(rows)
        try await withFlights(
            instead: { $0.path == FlightScene.citiesPath ? cities : nil },
            sources: { ["flights+\($0.url)\(FlightScene.path)"] }
        ) { flights async throws in
            let checked = try await flights.mount.python(
                """
                import os, sys
                root = os.fsencode(sys.argv[1])
                names = os.listdir(root)
                print(len(names), len(set(names)))
                for name in names:
                    assert 0 < len(name) <= 255 and not name.startswith(b"."), name
                    text = name.decode()
                    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\\u202e\\u2028" for c in text), name
                    if text != "北京":
                        assert len(os.listdir(os.path.join(root, name, "北京".encode()))) == 8, name
                        assert len(os.listdir(os.path.join(root, "北京".encode(), name))) == 8, name
                for city in [b"aac", b"AAD"]:
                    assert len(os.listdir(os.path.join(root, city, b"BJS"))) == 8
                """)
            #expect(checked.succeeded && checked.text == "17 17\n", "\(checked)")
            // The query names the city as the service does, or by its code.
            _ = try await flights.mount.cat("北京/a\u{2215}b/2026-12-24.txt")
            _ = try await flights.mount.cat("北京/a&b<c>/2026-12-24.txt")
            _ = try await flights.mount.cat("北京/aaj/2026-12-24.txt")
            let asked = flights.service.calls(of: .flights).map { $0.parameters["lastCity"] }
            #expect(asked == ["a/b", "a&b<c>", "AAJ"])
            #expect(try await flights.mount.stat(".skyfs/status", "%F") == "regular empty file")
        }
    }

    @Test func mountAsksNothingAndNeedsNoNetwork() async throws {
        let server = try LoopbackServer.closed()
        try await withMount(["flights+\(server)\(FlightScene.path)"]) { mount async throws in
            let cities = try await mount.list(limit: .seconds(20))
            #expect(cities.count > 100 && cities.contains("上海"))
            #expect(try await mount.list("上海/北京").count == 8)
            #expect(try await mount.cat("上海/北京/2026-12-24.txt").fails(with: "No route to host"))
        }
    }

    @Test func firstListingDoesNotWaitForAServiceThatSaysNothing() async throws {
        try await withFlights("timeout=300,stall=300") { flights async throws in
            flights.service.play(.slow(.seconds(200)), for: .cities)
            let listed = try await flights.mount.run("ls", "\(flights.mount.path)/flights", limit: .seconds(60))
            #expect(listed.succeeded && listed.lines.count > 100, "\(listed)")
            #expect(flights.askedForCities == 1)
            // The list that is used meanwhile does not keep asking.
            #expect(try await flights.mount.list("flights").count > 100)
            #expect(flights.askedForCities == 1)
        }
    }

    @Test func listOfCitiesIsKeptAndOutlivesTheMount() async throws {
        try await withFlights { flights async throws in
            #expect(try await flights.mount.list("flights").count == 41)
            let again = try await SkyfsMount.start(
                ["flights+\(flights.server.url)\(FlightScene.path)"], options: "",
                at: try flights.mount.scratch.directory("again"), in: flights.mount.scratch)
            #expect(try await again.list().count == 41)
            #expect(flights.askedForCities == 1)
            // A list that failed to be renewed is used on, and not asked for again soon.
            try await flights.age(days: 8)
            flights.service.play(.quota, for: .cities)
            #expect(await again.end() == nil)
            for isFirst in [true, false] {
                let later = try await SkyfsMount.start(
                    ["flights+\(flights.server.url)\(FlightScene.path)"], options: "", at: again.path,
                    in: flights.mount.scratch)
                #expect(try await later.list().count == 41)
                if isFirst { #expect(await eventually { later.process.errors.contains("the list of cities") }) }
                #expect(await later.end() == nil)
            }
            #expect(flights.askedForCities == 2)
        }
    }
}

extension LoopbackServer {
    /// The URL of a port at which nobody listens any more.
    static func closed() throws -> String {
        let server = try LoopbackServer()
        defer { server.stop() }
        return server.url
    }
}
