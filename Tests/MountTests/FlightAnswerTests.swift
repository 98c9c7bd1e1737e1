import LoopbackServer
import MountHarness
import Platform
import Testing

/// What the files hold, and what programs do with them.
struct FlightAnswerTests {
    @Test func textIsATableForPeople() async throws {
        let document = FlightScene.xml(try FlightScene.document("flights-sha-bjs-get.xml"))
        try await withFlights(instead: { $0.path == FlightScene.flightsPath ? document : nil }) {
            flights async throws in
            let lines = try await flights.text("cat $F/上海/北京/2026-12-24.txt").split(separator: "\n").map(String.init)
            #expect(lines.first == "上海 → 北京, Thursday 2026-12-24: 5 flights")
            let header =
                "Airline   Flight  From              To                Departs  Arrives   Aircraft  Stops  Days"
            #expect(lines.dropFirst().first == header)
            #expect(
                lines.contains(
                    "吉祥航空  HO9005  上海虹桥国际机场  北京首都国际机场  21:50    00:20 +1  76A       0      Wed"), "\(lines)")
            #expect(
                lines.last?.hasPrefix("Source: \(flights.server.url)\(FlightScene.path), 2") == true
                    && lines.last?.hasSuffix("(UTC+8)") == true)
        }
    }

    @Test func dayWithoutFlightsSaysSo() async throws {
        for name in ["flights-none-get.xml", "flights-none-nulls-get.xml", "flights-emptydataset-get.xml"] {
            let document = FlightScene.xml(try FlightScene.document(name))
            try await withFlights(instead: { $0.path == FlightScene.flightsPath ? document : nil }) {
                flights async throws in
                #expect(try await flights.text("head -1 $F/上海/北京/2026-12-24.txt").hasSuffix("2026-12-24: no flights\n"))
                #expect(try await flights.text("cat $F/上海/北京/2026-12-24.csv").split(separator: "\n").count == 1)
            }
        }
    }

    @Test func formsOfADayShareOneRequest() async throws {
        try await withFlights { flights async throws in
            let checked = try await flights.mount.python(
                """
                import csv, json, os, sys, xml.dom.minidom
                route = sys.argv[1] + "/flights/上海/北京/2026-12-24"
                text = open(route + ".txt", encoding="utf-8").read()
                answer = json.load(open(route + ".json", encoding="utf-8"))
                rows = list(csv.DictReader(open(route + ".csv", encoding="utf-8", newline="")))
                document = xml.dom.minidom.parse(route + ".xml")
                numbers = [node.firstChild.data for node in document.getElementsByTagName("AirlineCode")]
                assert document.documentElement.tagName == "DataSet"
                assert numbers and numbers == [row["flight"] for row in rows]
                assert numbers == [flight["flight"] for flight in answer["flights"]]
                assert all(number in text for number in numbers)
                assert (answer["from"], answer["to"], answer["date"]) == ("上海", "北京", "2026-12-24")
                assert answer["stale"] is None and answer["source"] in text
                for suffix in ".txt", ".json", ".csv", ".xml":
                    assert os.stat(route + suffix).st_size == len(open(route + suffix, "rb").read()), suffix
                """)
            #expect(checked.succeeded, "\(checked)")
            #expect(flights.asked == 1)
        }
    }

    @Test func twentyReadersShareOneRequest() async throws {
        try await withFlights { flights async throws in
            flights.service.play(.slow(.seconds(2)), for: .flights)
            let script =
                "for i in $(seq 20); do cat $F/上海/北京/2026-12-24.txt > $T/$i & done; wait; cat $T/? $T/?? | sort -u | wc -l; wc -l < $T/1"
            let counts = try await flights.text(script).split(separator: "\n")
            // The title, the header, the flights and the source; the empty lines of all are one.
            #expect(counts.count == 2 && (Int(counts[0]) ?? 0) == (Int(counts[1]) ?? 0) - 1, "\(counts)")
            #expect(flights.asked == 1)
        }
    }

    @Test func programsReadTheRightContentOnFirstAndLaterUse() async throws {
        try await withFlights { flights async throws in
            let checked = try await flights.text(
                """
                set -e
                R=$F/上海/北京
                days=($(ls $R))
                # First use of each.
                wc -c < $R/${days[0]} > $T/wc
                tail -n 1 $R/${days[1]} > $T/tail
                cp $R/${days[2]} $T/copy
                less $R/${days[3]} > $T/less
                grep -r Source $R > $T/grep
                test $(wc -l < $T/grep) = 8
                rsync -a $R/ $T/synced
                for day in "${days[@]}"; do cmp $R/$day $T/synced/$day; done
                test $(cat $T/wc) = $(cat $R/${days[0]} | wc -c)
                cmp $T/tail <(tail -n 1 $T/synced/${days[1]})
                cmp $T/copy $R/${days[2]}
                cmp $T/less $R/${days[3]}
                # Later use.
                for day in "${days[@]}"; do
                    test $(wc -c < $R/$day) = $(stat -c %s $R/$day)
                    test $(tail -c 20 $R/$day | wc -c) = 20
                    cp $R/$day $T/again && cmp $T/again $R/$day
                    head -c 30 $R/$day | cmp -n 30 - $T/synced/$day
                done
                rsync -ac --out-format=%n $R/ $T/synced
                tar -C $R -cf $T/r.tar . && tar -xOf $T/r.tar ./${days[0]} | cmp - $R/${days[0]}
                dd if=$R/${days[0]} bs=7 skip=3 count=5 status=none | cmp - <(tail -c +22 $R/${days[0]} | head -c 35)
                """, limit: .seconds(120))
            #expect(!checked.contains(".txt"), "\(checked)")
            #expect(flights.asked == 8)
        }
    }

    @Test func answersAreKeptOverTheMountAndForTheirTime() async throws {
        try await withFlights { flights async throws in
            // Ten days ahead: six hours. Last year: for good.
            let days = try await flights.text("date -d '10 days' +%F; date -d '-1 year' +%F").split(separator: "\n")
            for day in days { #expect(try await flights.cat("上海/北京/\(day).txt").succeeded) }
            try await flights.age(days: 1)
            let before = try await flights.text("cat $F/上海/北京/\(days[1]).txt")
            #expect(flights.asked == 2)
            #expect(try await flights.cat("上海/北京/\(days[0]).json").succeeded)
            #expect(flights.asked == 3)
            let again = try await SkyfsMount.start(
                ["flights+\(flights.server.url)\(FlightScene.path)"], options: "",
                at: try flights.mount.scratch.directory("again"), in: flights.mount.scratch)
            #expect(try await again.text("上海/北京/\(days[1]).txt") == before)
            #expect(try await again.cat("上海/北京/\(days[0]).txt").succeeded)
            #expect(await again.end() == nil)
            #expect(flights.asked == 3)
        }
    }

    @Test func withTheServiceGoneWhatIsKeptIsShownAndSaysHowOldItIs() async throws {
        try await withFlights { flights async throws in
            let day = try await flights.text("date -d '10 days' +%F").filter { $0 != "\n" }
            let fresh = try await flights.text("cat $F/上海/北京/\(day).txt")
            try await flights.age(days: 3)
            flights.server.stop()
            let stale = try await flights.text("cat $F/上海/北京/\(day).txt")
            let lines = stale.split(separator: "\n")
            #expect(lines.dropLast(2) == fresh.split(separator: "\n").dropLast()[...])
            let asked = try await flights.text("TZ=UTC-8 date -d '-3 days' +%F").filter { $0 != "\n" }
            #expect(lines.dropLast().last?.contains(", \(asked) ") == true, "\(stale)")
            #expect(
                lines.last?.hasPrefix("May be out of date: no newer answer, the flight service cannot be reached")
                    == true)
            #expect(try await flights.attribute("error", of: "上海/北京/\(day).txt").text.contains("cannot be reached"))
            #expect(try await flights.text("grep '\"stale\" : \"' $F/上海/北京/\(day).json").contains("cannot be reached"))
            // The tree is there, and what was never asked for is an error at once.
            #expect(try await flights.mount.list("flights").count == 41)
            #expect(try await flights.mount.list("flights/上海/广州").count == 8)
            let never = try await flights.cat("上海/广州/\(day).txt")
            #expect(never.fails(with: "No route to host"), "\(never)")
            #expect(flights.asked == 1)
        }
    }

    @Test(arguments: [DomesticAirlineBehaviour.quota, .tooFast, .failure(status: 429)])
    func quotaIsAgainAndNeverKept(_ behaviour: DomesticAirlineBehaviour) async throws {
        try await withFlights { flights async throws in
            flights.service.play(behaviour, for: .flights)
            let refused = try await flights.cat("上海/北京/2026-12-24.txt")
            #expect(refused.fails(with: "Resource temporarily unavailable"), "\(refused)")
            #expect(try await flights.attribute("error", of: "上海/北京/2026-12-24.txt").text.contains("asked too often"))
            flights.service.play(.normal, for: .flights)
            #expect(try await flights.text("cat $F/上海/北京/2026-12-24.txt").contains(" flights\n"))
            #expect(try await flights.attribute("error", of: "上海/北京/2026-12-24.txt").fails(with: "No such attribute"))
        }
    }

    @Test func anythingButTheExpectedDocumentIsAnErrorThatIsTold() async throws {
        try await withFlights("timeout=10") { flights async throws in
            let secret = try flights.mount.scratch.file("secret", "s3cr3t-of-a-file\n")
            let behaviours: [DomesticAirlineBehaviour] = [
                .cut(afterBody: 300), .shortened(to: 2000), .shortened(to: 0), .failure(status: 500),
                .failure(status: 404),
                .failure(status: 403), .hostile(.gbkAsUTF8), .hostile(.invalidByteInName), .hostile(.controlCharacter),
                .hostile(.entityBomb), .hostile(.externalEntity("file://\(secret)")), .hostile(.deep(200_000)),
                .hostile(.page), .hostile(.empty),
            ]
            for (index, behaviour) in behaviours.enumerated() {
                flights.service.play(behaviour, for: .flights)
                let name = "上海/北京/2026-11-\(index + 10).txt"
                let command = try await flights.cat(name)
                #expect(command.fails(with: "Input/output error") && command.output.isEmpty, "\(behaviour): \(command)")
                let told = try await flights.attribute("error", of: name)
                #expect(
                    told.succeeded && told.text.count > 10 && !told.text.contains("s3cr3t"), "\(behaviour): \(told)")
            }
            #expect(flights.asked == behaviours.count)
            #expect(!flights.mount.process.errors.contains("s3cr3t-of-a-file"))
            // None of them is taken for an answer later on.
            flights.service.play(.normal, for: .flights)
            #expect(try await flights.cat("上海/北京/2026-11-10.txt").succeeded)
        }
    }

    @Test(arguments: [
        DomesticAirlineBehaviour.hostile(.byteOrderMark), .hostile(.declaredGB2312), .slow(.seconds(4)),
    ])
    func oddButRightDocumentsAreRead(_ behaviour: DomesticAirlineBehaviour) async throws {
        try await withFlights { flights async throws in
            let expected = try await flights.text("cat $F/上海/北京/2026-12-24.csv")
            try await flights.age(days: 30)
            flights.service.play(behaviour, for: .flights)
            #expect(try await flights.text("cat $F/上海/北京/2026-12-24.csv") == expected)
            #expect(flights.asked == 2)
        }
    }

    @Test func endlessDocumentIsAnErrorInLittleMemory() async throws {
        let endless = Answer(headers: [("Content-Type", "text/xml")], body: .pattern(0..<(1 << 40)))
        try await withFlights(instead: { $0.path == FlightScene.flightsPath ? endless : nil }) { flights async throws in
            let command = try await flights.cat("上海/北京/2026-12-24.txt")
            #expect(command.fails(with: "Input/output error"), "\(command)")
            #expect(flights.server.totals.bytes < 64 << 20)
        }
    }

    @Test func cityThatTheServiceDoesNotKnowIsMissing() async throws {
        let cities = FlightScene.cities([("Beijing", "北京", "BJS"), ("Mars", "火星", "MRS")])
        try await withFlights(instead: { $0.path == FlightScene.citiesPath ? cities : nil }) { flights async throws in
            for _ in 0..<3 {
                #expect(try await flights.cat("北京/火星/2026-12-24.txt").fails(with: "No such file"))
            }
            #expect(try await flights.attribute("error", of: "北京/火星/2026-12-24.txt").text.contains("does not know"))
            #expect(flights.asked == 1)
        }
    }

    @Test func interruptedReaderLeavesTheRequestToOthers() async throws {
        try await withFlights { flights async throws in
            flights.service.play(.slow(.seconds(4)), for: .flights)
            let ended = try await flights.sh(
                "timeout -s INT 1.5 cat $M/flights/上海/北京/2026-12-24.txt", limit: .seconds(30))
            #expect(ended.status == 124, "\(ended)")
            #expect(ended.elapsed < .seconds(3.5), "\(ended)")
            #expect(try await flights.cat("上海/北京/2026-12-24.txt").succeeded)
            #expect(flights.asked == 1)
        }
    }

    @Test func mountEndsWhileAnAnswerIsWaitedFor() async throws {
        try await withFlights { flights async throws in
            flights.service.play(.slow(.seconds(60)), for: .flights)
            let reader = try flights.mount.start("cat", "\(flights.mount.path)/flights/上海/北京/2026-12-24.txt")
            #expect(await eventually { flights.asked == 1 })
            // withMount expects an end with status 0 within seconds.
            flights.mount.process.signal(15)
            #expect(await reader.wait(within: .seconds(20)) == .status(1))
            #expect(await flights.mount.process.wait(within: .seconds(20)) == .status(0))
        }
    }
}
