package import Flights
import Glibc
package import HTTP
package import Platform
import Store

/// Answers questions about cities and flights: from what is kept on disk while that counts, else from the service, as
/// often as that may be asked. Any thread; completions come on the desk's own thread or the network's.
package final class FlightDesk: Sendable {
    package typealias FlightsResult = Result<FlightAnswer, FlightsFailure>

    private struct State: Sendable {
        var waiting: [String: [@Sendable (FlightsResult) -> Void]] = [:]
        var directory: CityDirectory?
        var cityWaiters: [@Sendable (CityDirectory) -> Void] = []
        var isAskingForCities = false
        /// Seconds since 1970. An answer that did not come is not asked for at every `ls`.
        var nextCityTry: Int64 = 0
        var requests = 0
    }

    /// Under which the list of cities is kept; no query has such a key.
    private static let citiesKey = "cities"
    private static let cityPause: Int64 = 600
    /// How long the first listing waits for the service's own list before it makes do with the built-in one.
    private static let cityPatience = Duration.seconds(5)

    private let source: FlightsSource
    private let client: HTTPClient
    private let patience: Duration
    private let log: Log
    private let answers: AnswerCache
    private let budget: RequestBudget
    private let work: SerialQueue
    private let state = Lock(State())

    /// - Parameters:
    ///   - folder: this user's, shared by all processes: kept answers and the count of requests.
    ///   - patience: how long a request may go without a byte.
    package init(
        _ source: FlightsSource, folder: String, client: HTTPClient, patience: Duration, log: Log
    ) throws(StartError) {
        self.source = source
        self.client = client
        self.patience = patience
        self.log = log
        do throws(StoreError) {
            answers = try AnswerCache(folder: folder, log: log)
            budget = try RequestBudget(
                folder: folder, limit: source.limits.daily, interval: source.limits.interval,
                patience: source.limits.patience, log: log)
        } catch {
            throw StartError(
                words: "answers of the flight service cannot be kept: \(error)", advice: "see -o cache=FOLDER")
        }
        do { work = try SerialQueue(name: "flights") } catch {
            throw StartError(words: "cannot start: \(error)", advice: "see the limits of processes: ulimit -a")
        }
    }

    package func shutdown() { work.close() }

    /// For people: the service without the customer's number.
    package var description: String { source.service.description }

    /// Requests made so far.
    package var requests: Int { state.withLock { $0.requests } }

    // MARK: Flights

    /// The answer to a query; those who ask for the same at the same time share one request.
    package func flights(_ query: FlightQuery, _ completion: @escaping @Sendable (FlightsResult) -> Void) {
        let isFirst = state.withLock { state in
            let isFirst = state.waiting[query.key] == nil
            state.waiting[query.key, default: []].append(completion)
            return isFirst
        }
        guard isFirst else { return }
        work.async { [self] in
            let kept = keptAnswer(query)
            let now = Self.seconds()
            if let kept, Freshness(date: query.date, fetched: kept.fetched).isFresh(at: now) {
                return complete(query, .success(kept))
            }
            takeTurn { [self] failure in
                if let failure { return conclude(query, .failure(failure)) }
                ask(source.service.flights(query)) { [self] result in
                    conclude(query, result.flatMap { body in Self.read(body) })
                }
            }
        }
    }

    private static func read(_ body: [UInt8]) -> FlightsResult {
        do throws(FlightsError) {
            let flights = try FlightsReader.flights(in: body)
            return .success(FlightAnswer(flights: flights, document: body, fetched: seconds(), staleReason: nil))
        } catch { return .failure(.service(error)) }
    }

    /// On the desk's thread: keeps a new answer, or makes do with an old one.
    private func conclude(_ query: FlightQuery, _ result: FlightsResult) {
        switch result {
        case .success(let answer):
            keep(query.key, answer.document, fetched: answer.fetched)
            complete(query, result)
        case .failure(let failure):
            log.warning("\(description): \(query.from)-\(query.to) \(query.date): \(failure.words)")
            // Where there is no such city there are no old flights of it either.
            if case .service(.unknownCity) = failure { return complete(query, result) }
            guard let old = keptAnswer(query) else { return complete(query, result) }
            complete(
                query,
                .success(
                    FlightAnswer(
                        flights: old.flights, document: old.document, fetched: old.fetched, staleReason: failure.words))
            )
        }
    }

    private func complete(_ query: FlightQuery, _ result: FlightsResult) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: query.key) ?? [] }
        for completion in waiting { completion(result) }
    }

    /// Two services may know different flights.
    private func storeKey(_ key: String) -> String { "\(description)\u{1F}\(key)" }

    private func keptAnswer(_ query: FlightQuery) -> FlightAnswer? {
        guard let kept = try? answers.get(storeKey(query.key)), let flights = try? FlightsReader.flights(in: kept.body)
        else {
            return nil
        }
        return FlightAnswer(
            flights: flights, document: kept.body, fetched: kept.fetched / 1000, staleReason: nil)
    }

    private func keep(_ key: String, _ body: [UInt8], fetched: Int64) {
        do throws(StoreError) {
            try answers.put(storeKey(key), CachedAnswer(body: body, fetched: fetched * 1000))
        } catch {
            log.warning("an answer of the flight service is not kept: \(error)")
        }
    }

    // MARK: Cities

    /// The cities: at once if the list is known, after a short wait for the service's list the first time.
    package func cities(_ completion: @escaping @Sendable (CityDirectory) -> Void) {
        let (known, isFirst) = state.withLock { state -> (CityDirectory?, Bool) in
            if let known = state.directory { return (known, false) }
            state.cityWaiters.append(completion)
            return (nil, state.cityWaiters.count == 1)
        }
        if let known {
            completion(known)
            refreshCities()
            return
        }
        guard isFirst else { return }
        work.async { [self] in
            if let kept = try? answers.get(storeKey(Self.citiesKey)),
                let cities = try? FlightsReader.cities(in: kept.body)
            {
                let isFresh = Freshness(date: nil, fetched: kept.fetched / 1000).isFresh(at: Self.seconds())
                state.withLock { $0.nextCityTry = isFresh ? kept.fetched / 1000 + Freshness.cities : 0 }
                install(cities)
                return refreshCities()
            }
            refreshCities()
            _ = client.schedule(after: Self.cityPatience) { [self] in makeDo() }
        }
    }

    /// The list as far as it is known; nil before the first answer to `cities`.
    package var knownCities: CityDirectory? { state.withLock { $0.directory } }

    private func refreshCities() {
        let now = Self.seconds()
        let isDue = state.withLock { state in
            guard !state.isAskingForCities, now >= state.nextCityTry else { return false }
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

    private func concludeCities(_ result: Result<[UInt8], FlightsFailure>) {
        var failure: FlightsFailure?
        switch result {
        case .success(let body):
            do throws(FlightsError) {
                let cities = try FlightsReader.cities(in: body)
                keep(Self.citiesKey, body, fetched: Self.seconds())
                state.withLock { $0.nextCityTry = Self.seconds() + Freshness.cities }
                install(cities)
            } catch { failure = .service(error) }
        case .failure(let error): failure = error
        }
        state.withLock { $0.isAskingForCities = false }
        guard let failure else { return }
        log.warning("\(description): the list of cities: \(failure.words)")
        makeDo()
    }

    private func makeDo() {
        if state.withLock({ $0.directory == nil }) { install(BuiltInCities.cities) }
    }

    private func install(_ cities: [City]) {
        let directory = CityDirectory(cities)
        let waiters = state.withLock { state in
            state.directory = directory
            defer { state.cityWaiters = [] }
            return state.cityWaiters
        }
        for waiter in waiters { waiter(directory) }
    }

    // MARK: The service

    /// On the desk's thread: waits for the time at which one more request may go out, and counts it.
    private func takeTurn(_ completion: @escaping @Sendable (FlightsFailure?) -> Void) {
        let now = Self.milliseconds()
        let permission: RequestPermission
        do throws(StoreError) {
            permission = try budget.take(now: now, day: RequestLimits.day(at: now / 1000))
        } catch { return completion(.uncounted(error.words)) }
        switch permission {
        case .granted(let pause) where pause == .zero: completion(nil)
        case .granted(let pause):
            _ = client.schedule(after: pause) { completion(nil) }
        case .crowded: completion(.crowded)
        case .exhausted: completion(.budgetSpent)
        }
    }

    /// - Parameter completion: on the desk's thread.
    private func ask(
        _ ask: FlightRequest, _ completion: @escaping @Sendable (Result<[UInt8], FlightsFailure>) -> Void
    ) {
        guard let url = try? HTTPURL.parse(ask.url).url else {
            return completion(.failure(.service(.notTheAnswer("its address is no URL"))))
        }
        var request = Request(ask.method == .get ? .get : .post, url, purpose: .metadata)
        request.headers = ask.headers
        request.body = Array(ask.body.utf8)
        // Each one counts: the next question may repeat it.
        request.isRepeated = false
        state.withLock { $0.requests += 1 }
        client.fetch(request, limit: FlightsReader.maximumSize, patience: patience) { [work] result in
            work.async {
                switch result {
                case .failure(let error): completion(.failure(.transfer(error)))
                case .success(let response) where response.head.status == 200: completion(.success(response.body))
                case .success(let response):
                    completion(
                        .failure(
                            .service(FlightsReader.failure(status: response.head.status, body: response.body))))
                }
            }
        }
    }

    private static func seconds() -> Int64 { milliseconds() / 1000 }

    private static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
