import LoopbackServer
import MountHarness
import Platform
import Testing

/// How often the service is asked.
struct FlightBudgetTests {
    @Test func dayHasANumberOfRequestsThatOutlivesTheMount() async throws {
        try await withFlights("flights_budget=4") { flights async throws in
            // One for the cities.
            for day in 10...12 { #expect(try await flights.cat("上海/北京/2027-01-\(day).txt").succeeded) }
            let refused = try await flights.cat("上海/北京/2027-01-13.txt")
            #expect(refused.fails(with: "Resource temporarily unavailable"), "\(refused)")
            let told = try await flights.attribute("error", of: "上海/北京/2027-01-13.txt")
            #expect(told.text.contains("flights_budget"), "\(told)")
            #expect(try await flights.cat("上海/北京/2027-01-11.json").succeeded)
            // What no longer counts is shown all the same.
            try await flights.age(days: 2)
            #expect(try await flights.text("tail -1 $F/上海/北京/2027-01-12.txt").contains("used up"))
            let url = "flights+\(flights.server.url)\(FlightScene.path)"
            let again = try await SkyfsMount.start(
                [url], options: "flights_budget=4", at: try flights.mount.scratch.directory("again"),
                in: flights.mount.scratch)
            #expect(try await again.list().count == 41)
            #expect(try await again.cat("上海/北京/2027-01-14.txt").fails(with: "Resource temporarily unavailable"))
            #expect(try await again.cat("上海/北京/2027-01-10.txt").succeeded)
            #expect(await again.end() == nil)
            let command = try await flights.mount.sh(
                "\(try SkyfsMount.program) flights 上海 北京 2027-01-15 --source \(url) -o flights_budget=4")
            #expect(command.status == 10 && command.errors.contains("used up"), "\(command)")
            #expect(flights.asked + flights.askedForCities == 4)
            let status = try await flights.text("cat $M/.skyfs/status")
            #expect(status.contains("4 of 4 used today"), "\(status)")
        }
    }

    @Test func searchOverTheTreeStopsAtTheBudget() async throws {
        try await withFlights("flights_budget=5") { flights async throws in
            let searched = try await flights.sh("grep -r 航空 $M/flights/上海/北京 $M/flights/上海/广州", limit: .seconds(60))
            #expect(searched.status == 2 && searched.errors.contains("Resource temporarily unavailable"), "\(searched)")
            #expect(searched.errors.split(separator: "\n").count == 12)
            #expect(flights.asked == 4)
        }
    }

    @Test func processesShareBudgetAndPauses() async throws {
        try await withFlights("flights_budget=12") { flights async throws in
            let again = try await SkyfsMount.start(
                ["flights+\(flights.server.url)\(FlightScene.path)"], options: "flights_budget=12",
                at: try flights.mount.scratch.directory("again"), in: flights.mount.scratch)
            _ = try await again.list()
            let started = Instant.now()
            let read = try await flights.text(
                """
                cd $F/上海/北京; for i in $(seq 10 17); do cat 2027-01-$i.txt > $T/a$i & done
                cd $T/again/上海/广州; for i in $(seq 10 17); do cat 2027-01-$i.txt > $T/b$i & done
                wait; find $T -maxdepth 1 -name '[ab]??' -size +0 | wc -l
                """)
            let elapsed = Instant.now() - started
            #expect(await again.end() == nil)
            #expect(read == "11\n")
            #expect(flights.asked == 11 && flights.askedForCities == 1)
            #expect(elapsed >= .milliseconds(10 * 600), "\(elapsed)")
        }
    }

    /// At 600 ms each, 34 fit into the 20 seconds that a question may wait.
    @Test func tooManyQuestionsAtOnceAreAgain() async throws {
        try await withFlights("flights_budget=1000") { flights async throws in
            _ = try await flights.mount.list("flights")
            let read = try await flights.mount.python(
                """
                import errno, sys, threading
                counts, lock, start = {}, threading.Lock(), threading.Barrier(80)
                def ask(year):
                    start.wait()
                    try:
                        open(f"{sys.argv[1]}/flights/上海/北京/{year}-01-01.txt", "rb").read()
                        result = "read"
                    except OSError as error:
                        result = errno.errorcode[error.errno]
                    with lock: counts[result] = counts.get(result, 0) + 1
                threads = [threading.Thread(target=ask, args=(1900 + i,)) for i in range(80)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                print(*sorted(counts), counts["read"], counts["EAGAIN"])
                """, limit: .seconds(120))
            let words = read.text.split(separator: " ").map { $0.filter { $0 != "\n" } }
            #expect(read.succeeded && words.prefix(2) == ["EAGAIN", "read"], "\(read)")
            let counts = words.compactMap { Int($0) }
            #expect(counts.count == 2 && counts.reduce(0, +) == 80, "\(read)")
            // Those that come a little later find a little more room.
            #expect(flights.asked >= 30 && flights.asked == counts.first, "\(flights.asked) \(read)")
        }
    }

    @Test func budgetOfNoneNeverAsks() async throws {
        try await withFlights("flights_budget=0") { flights async throws in
            #expect(try await flights.mount.list("flights").count > 100)
            #expect(try await flights.cat("上海/北京/2026-12-24.txt").fails(with: "Resource temporarily unavailable"))
            #expect(flights.server.log.isEmpty)
        }
    }

    @Test func cacheIsWhereTheOptionSays() async throws {
        let scratch = try Scratch()
        let folder = "\(scratch.path)/elsewhere"
        try await withFlights("cache=\(folder)") { flights async throws in
            #expect(try await flights.cat("上海/北京/2026-12-24.txt").succeeded)
            let found = try await flights.text("ls \(folder)/flights; stat -c %a \(folder)/flights/*; ls -A $T")
            #expect(found.contains("answers.sqlite") && found.contains("600") && !found.contains("cache"), "\(found)")
        }
        await scratch.remove()
    }

    @Test func cacheThatCannotBeUsedIsSaid() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("file", "x")
        let place = try scratch.directory("mount")
        let mounted = try await Command.run(
            [try SkyfsMount.program, "mount", "flights:", place, "-o", "cache=\(file)"],
            environment: SkyfsMount.environment(home: scratch.path))
        #expect(mounted.status == 1 && mounted.errors.contains("cannot be kept"), "\(mounted)")
        #expect(mounted.errors.contains("-o cache=FOLDER"), "\(mounted)")
        #expect(!MountTable.isMounted(place))
        await scratch.remove()
    }
}
