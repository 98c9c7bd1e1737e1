package import Flights
import Glibc
package import HTTP
package import Platform
import Store

/// Answers questions about cities and flights: from what is kept on disk while that counts, else from the service, as
/// often as that may be asked. Any thread; completions come on the desk's own thread or the network's, and each comes.
package final class FlightDesk: Sendable {
    package typealias FlightsResult = Result<FlightAnswer, FlightsFailure>

    private struct State: Sendable {
        var waiting: [String: [@Sendable (FlightsResult) -> Void]] = [:]
        /// Queries of which the service said that there is no such city, and until when that counts.
        var unknown: [String: (failure: FlightsFailure, until: Int64)] = [:]
        var directory: CityDirectory?
        var cityWaiters: [@Sendable (CityDirectory) -> Void] = []
        var isAskingForCities = false
        /// Seconds since 1970.
        var nextCityTry: Int64 = 0
        var requests = 0
        var usedToday: Int?
        var lastFailure: String?
        var isClosed = false
    }

    // Under which the list of cities is kept, and the time of a try that brought none; no query has such a key.
    private static let citiesKey = "cities"
    private static let cityTryKey = "cities, last try"
    /// Before a list of cities that did not come is asked for again, in seconds.
    private static let cityPause: Int64 = 600
    /// How long the first listing waits for the service's own list before it makes do with the built-in one.
    private static let cityPatience = Duration.seconds(3)
    /// How long it counts that the service does not know a city, in seconds.
    private static let unknownPause: Int64 = 600
    private static let rememberedUnknown = 1000

    private let source: FlightsSource
    private let client: HTTPClient
    private let patience: Duration
    private let log: Log
    private let store: FlightStore
    private let work: SerialQueue
    private let clock: @Sendable () -> Int64
    private let state = Lock(State())

    /// - Parameters:
    ///   - cache: this user's folder for what may be lost. All processes share it: kept answers and the count of requests.
    ///   - patience: how long a request may go without a byte.
    ///   - clock: milliseconds since 1970.
    package init(
        _ source: FlightsSource, cache: String, client: HTTPClient, patience: Duration, log: Log,
        clock: @escaping @Sendable () -> Int64 = FlightDesk.milliseconds
    ) throws(StartError) {
        self.source = source
        self.client = client
        self.patience = patience
        self.log = log
        self.clock = clock
        do throws(StoreError) {
            store = try FlightStore(folder: cache + "/flights", limits: source.limits, log: log)
        } catch {
            throw StartError(
                words: "answers of the flight service cannot be kept: \(error)", advice: "see -o cache=FOLDER")
        }
        do { work = try SerialQueue(name: "flights") } catch {
            throw StartError(words: "cannot start: \(error)", advice: "see the limits of processes: ulimit -a")
        }
        work.async { [self] in countUsed() }
    }

    /// Ends what runs; who still waits hears that it was cancelled. Before the client's end. Blocks for as long as the disk
    /// needs.
    package func shutdown() {
        state.withLock { $0.isClosed = true }
        work.close()
        let (waiting, cityWaiters) = state.withLock { state in
            defer { (state.waiting, state.cityWaiters) = ([:], []) }
            return (state.waiting.values.flatMap { $0 }, state.cityWaiters)
        }
        for completion in waiting { completion(.failure(.transfer(.cancelled))) }
        for completion in cityWaiters { completion(CityDirectory([])) }
    }

    /// The service's address.
    package var address: String { source.service.address }

    /// The days that a route lists now.
    package var listedDates: [FlightDate] { FlightDate.listed(at: seconds) }

    /// For the status report.
    package var report: FlightsReportLine {
        state.withLock { state in
            FlightsReportLine(
                source: source.service.description, requests: state.requests, usedToday: state.usedToday,
                budget: source.limits.daily, lastError: state.lastFailure)
        }
    }

    // MARK: Flights

    /// The answer to a query; those who ask for the same at the same time share one request.
    package func flights(_ query: FlightQuery, _ completion: @escaping @Sendable (FlightsResult) -> Void) {
        let (isFirst, isClosed) = state.withLock { state in
            if state.isClosed { return (false, true) }
            let isFirst = state.waiting[query.key] == nil
            state.waiting[query.key, default: []].append(completion)
            return (isFirst, false)
        }
        if isClosed { return completion(.failure(.transfer(.cancelled))) }
        guard isFirst else { return }
        work.async { [self] in
            let now = seconds
            if let unknown = state.withLock({ $0.unknown[query.key] }), now < unknown.until {
                return complete(query, .failure(unknown.failure))
            }
            if let kept = freshAnswer(query) { return complete(query, .success(kept)) }
            takeTurn { [self] failure in
                if let failure { return conclude(query, .failure(failure)) }
                // Another process may have had the same question, and its turn before.
                if let kept = freshAnswer(query) { return complete(query, .success(kept)) }
                ask(source.service.flights(query)) { [self] result in
                    conclude(query, result.flatMap { body in read(body) })
                }
            }
        }
    }

    private func freshAnswer(_ query: FlightQuery) -> FlightAnswer? {
        guard let kept = keptAnswer(query), Freshness(date: query.date, fetched: kept.fetched).isFresh(at: seconds)
        else { return nil }
        return kept
    }

    private func read(_ body: [UInt8]) -> FlightsResult {
        do throws(FlightsError) {
            let flights = try FlightsReader.flights(in: body)
            return .success(FlightAnswer(flights: flights, document: body, fetched: seconds, staleReason: nil))
        } catch { return .failure(.service(source.service.withoutSecrets(error))) }
    }

    /// On the desk's thread: keeps a new answer, or makes do with an old one.
    private func conclude(_ query: FlightQuery, _ result: FlightsResult) {
        switch result {
        case .success(let answer):
            keep(query.key, answer.document, fetched: answer.fetched)
            state.withLock { $0.lastFailure = nil }
            complete(query, result)
        case .failure(let failure):
            note(failure, of: "\(query.from)-\(query.to) \(query.date)")
            // Where there is no such city there are no old flights of it either.
            if case .service(.unknownCity) = failure {
                remember(unknown: query, failure)
                return complete(query, result)
            }
            guard let old = keptAnswer(query) else { return complete(query, result) }
            complete(
                query,
                .success(
                    FlightAnswer(
                        flights: old.flights, document: old.document, fetched: old.fetched, staleReason: failure.words))
            )
        }
    }

    private func note(_ failure: FlightsFailure, of what: String) {
        log.warning("\(address): \(what): \(failure.words)")
        state.withLock { $0.lastFailure = failure.words }
    }

    private func remember(unknown query: FlightQuery, _ failure: FlightsFailure) {
        let until = seconds + Self.unknownPause
        state.withLock { state in
            if state.unknown.count >= Self.rememberedUnknown { state.unknown = [:] }
            state.unknown[query.key] = (failure, until)
        }
    }

    private func complete(_ query: FlightQuery, _ result: FlightsResult) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: query.key) ?? [] }
        for completion in waiting { completion(result) }
    }

    // MARK: What is kept

    /// Two services may know different flights, and two transports write different documents.
    private func storeKey(_ key: String) -> String { "\(source.service.description)\u{1F}\(key)" }

    private func kept(_ key: String) -> CachedAnswer? { store.answer(storeKey(key)) }

    private func keptAnswer(_ query: FlightQuery) -> FlightAnswer? {
        guard let kept = kept(query.key), let flights = try? FlightsReader.flights(in: kept.body) else { return nil }
        return FlightAnswer(flights: flights, document: kept.body, fetched: kept.fetched / 1000, staleReason: nil)
    }

    private func keep(_ key: String, _ body: [UInt8], fetched: Int64) {
        store.keep(storeKey(key), CachedAnswer(body: body, fetched: fetched * 1000))
    }

    // MARK: Cities

    /// The cities: at once if the list is known, after a short wait for the service's list the first time. After
    /// `shutdown` there are none.
    package func cities(_ completion: @escaping @Sendable (CityDirectory) -> Void) {
        let (known, isFirst) = state.withLock { state -> (CityDirectory?, Bool) in
            if let known = state.directory ?? (state.isClosed ? CityDirectory([]) : nil) { return (known, false) }
            state.cityWaiters.append(completion)
            return (nil, state.cityWaiters.count == 1)
        }
        if let known {
            completion(known)
            return refreshCities()
        }
        guard isFirst else { return }
        work.async { [self] in
            let lastTry = kept(Self.cityTryKey).map { $0.fetched / 1000 } ?? 0
            // One from the future, after the clock was set back, does not count.
            var nextTry = lastTry <= seconds ? lastTry + Self.cityPause : 0
            var known: CityDirectory?
            if let kept = kept(Self.citiesKey), let cities = try? FlightsReader.cities(in: kept.body) {
                let freshness = Freshness(date: nil, fetched: kept.fetched / 1000)
                if freshness.isFresh(at: seconds) { nextTry = kept.fetched / 1000 + Freshness.cities }
                known = CityDirectory(cities)
            }
            // First: who finds a list asks for a newer one when that is due.
            state.withLock { $0.nextCityTry = nextTry }
            if let known { install(known) }
            if seconds < nextTry { return makeDo() }
            refreshCities()
            _ = client.schedule(after: Self.cityPatience) { [self] in makeDo() }
        }
    }

    /// The list as far as it is known; nil before the first answer to `cities`.
    package var knownCities: CityDirectory? { state.withLock { $0.directory } }

    private func refreshCities() {
        let now = seconds
        let isDue = state.withLock { state in
            guard !state.isAskingForCities, !state.isClosed, now >= state.nextCityTry else { return false }
            state.isAskingForCities = true
            state.nextCityTry = now + Self.cityPause
            return true
        }
        guard isDue else { return }
        work.async { [self] in
            takeTurn { [self] failure in
                if let failure { return concludeCities(.failure(failure)) }
                ask(source.service.cities) { [self] in concludeCities($0) }
            }
        }
    }

    /// On the desk's thread.
    private func concludeCities(_ result: Result<[UInt8], FlightsFailure>) {
        let failure: FlightsFailure
        do {
            let body = try result.get()
            let cities = try FlightsReader.cities(in: body)
            keep(Self.citiesKey, body, fetched: seconds)
            state.withLock { state in
                state.nextCityTry = seconds + Freshness.cities
                state.isAskingForCities = false
            }
            return install(CityDirectory(cities))
        } catch let error as FlightsError {
            failure = .service(error)
        } catch let error as FlightsFailure {
            failure = error
        } catch { return }
        state.withLock { $0.isAskingForCities = false }
        keep(Self.cityTryKey, [], fetched: seconds)
        note(failure, of: "the list of cities")
        makeDo()
    }

    /// Does with the built-in list while there is no other.
    private func makeDo() {
        if knownCities == nil { install(CityDirectory(BuiltInCities.cities), onlyIfNone: true) }
    }

    private func install(_ directory: CityDirectory, onlyIfNone: Bool = false) {
        let waiters = state.withLock { state in
            if !onlyIfNone || state.directory == nil { state.directory = directory }
            defer { state.cityWaiters = [] }
            return state.cityWaiters
        }
        for waiter in waiters { waiter(knownCities ?? directory) }
    }

    // MARK: The service

    /// On the desk's thread: waits for the time at which one more request may go out, and counts it.
    /// - Parameter completion: on the desk's thread.
    private func takeTurn(_ completion: @escaping @Sendable (FlightsFailure?) -> Void) {
        // A request would wait for the end of the pause, or for longer than anybody.
        if let pause = pause { return completion(.paused(pause)) }
        let now = clock()
        let permission: RequestPermission
        do throws(StoreError) {
            permission = try store.take(now: now, day: RequestLimits.day(at: now / 1000))
        } catch { return completion(.uncounted(error.words)) }
        countUsed()
        switch permission {
        case .granted(let pause) where pause == .zero: completion(nil)
        case .granted(let pause): _ = client.schedule(after: pause) { [work] in work.async { completion(nil) } }
        case .crowded: completion(.crowded)
        case .exhausted: completion(.budgetSpent)
        }
    }

    /// On the desk's thread.
    private func countUsed() {
        let used = store.count(day: RequestLimits.day(at: seconds))
        state.withLock { $0.usedToday = used }
    }

    /// How long the service's server asked to be left alone (Retry-After).
    private var pause: Duration? {
        guard let origin = try? HTTPURL.parse(source.service.address).url.origin else { return nil }
        return client.hostHealth().first { $0.origin == origin }?.pausedFor
    }

    /// - Parameter completion: on the desk's thread.
    private func ask(
        _ ask: FlightRequest, _ completion: @escaping @Sendable (Result<[UInt8], FlightsFailure>) -> Void
    ) {
        let url: HTTPURL
        do { url = try HTTPURL.parse(ask.url).url } catch {
            return work.async { completion(.failure(.service(.notTheAnswer("its address is no URL")))) }
        }
        var request = Request(ask.method == .get ? .get : .post, url, purpose: .metadata)
        request.headers = ask.headers
        request.body = Array(ask.body.utf8)
        // Each one counts: the next question may repeat it.
        request.isRepeated = false
        state.withLock { $0.requests += 1 }
        client.fetch(request, limit: FlightsReader.maximumSize, patience: patience) { [work, source] result in
            work.async {
                switch result {
                case .failure(let error): completion(.failure(.transfer(error)))
                case .success(let response) where response.head.status == 200: completion(.success(response.body))
                case .success(let response):
                    let failure = FlightsReader.failure(status: response.head.status, body: response.body)
                    completion(.failure(.service(source.service.withoutSecrets(failure))))
                }
            }
        }
    }

    private var seconds: Int64 { clock() / 1000 }

    /// The system's clock, in milliseconds since 1970.
    package static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
