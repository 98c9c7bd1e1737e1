import Filesystem
import Flights
import HTTP
import Platform

/// `skyfs flights`: asks the flight service once, without a mount.
struct FlightsCommand {
    private static let options = [
        ArgumentReader.Option(letter: nil, name: "json"),
        ArgumentReader.Option(letter: nil, name: "csv"),
        ArgumentReader.Option(letter: nil, name: "source", takesValue: true),
        ArgumentReader.Option(letter: "c", name: "config", takesValue: true),
        ArgumentReader.Option(letter: "o", name: "options", takesValue: true),
    ]

    let from: String
    let to: String
    let date: FlightDate
    private(set) var format = FlightFormat.text
    /// Its one source is the service.
    private(set) var request = MountRequest()

    init(_ arguments: [String]) throws(CommandError) {
        var reader = ArgumentReader(arguments, options: Self.options, command: "skyfs flights")
        var operands: [String] = []
        var options: [String] = []
        var config: String?
        while let word = try reader.next() {
            switch word {
            case .operand(let operand): operands.append(operand)
            case .option("json", _): format = .json
            case .option("csv", _): format = .csv
            case .option("source", let value): try request.add(name: nil, url: value)
            case .option("config", let value): config = value
            case .option(_, let value): options += MountCommand.split(value)
            }
        }
        guard operands.count == 3 else {
            throw CommandError(.usage, "FROM, TO and DATE are needed", advice: "see skyfs flights --help")
        }
        (from, to) = (operands[0], operands[1])
        guard let date = FlightDate(operands[2]) else {
            throw CommandError(
                .usage, "no such day: \(DisplayText.sanitized(operands[2]))",
                advice:
                    "write it as YYYY-MM-DD, for example \(FlightDate(secondsSince1970: FlightDesk.milliseconds() / 1000))"
            )
        }
        self.date = date
        if let config { try ConfigFile(path: config).add(to: &request) }
        request.options += options
        try chooseService()
    }

    private mutating func chooseService() throws(CommandError) {
        if request.sources.isEmpty { try request.add(name: nil, url: SourcePrefix.flightsWord) }
        let services = request.sources.filter { $0.flights != nil }
        guard services.count == 1 else {
            throw CommandError(
                .usage, services.isEmpty ? "no flight service among the sources" : "more than one flight service",
                advice: "give --source flights: or --source flights+URL")
        }
        request.sources = services
    }

    func run() throws(CommandError) -> ExitCode {
        if request.hasCredentials {
            SecretMask.hideInProcessList()
            Output.error(SecretMask.warning)
        }
        var settings = MountSettings()
        for option in request.options { try MountOption.apply(option, to: &settings) }
        try settings.check(request)
        let (sources, identities) = try request.opened(settings)
        guard case .flights(let source)? = sources.first?.kind else { return .failure }
        let log = Log(settings.logLevel == .debug ? .descriptor(2) : .nowhere, threshold: settings.logLevel)
        let client = try settings.makeClient(identities, log)
        defer { client.shutdown() }
        let desk: FlightDesk
        do throws(StartError) {
            desk = try FlightDesk(
                source, cache: settings.filesystem.cache, client: client,
                patience: settings.filesystem.operationTimeout, log: log)
        } catch { throw CommandError(.failure, error.words, advice: error.advice) }
        defer { desk.shutdown() }
        return try ask(desk)
    }

    private func ask(_ desk: FlightDesk) throws(CommandError) -> ExitCode {
        let directory = Self.wait { desk.cities($0) }
        let origin = try city(from, directory)
        let destination = try city(to, directory)
        guard !origin.isSameCity(as: destination) else {
            throw CommandError(.usage, "\(origin.name) and \(destination.name) are the same city")
        }
        let query = FlightQuery(from: origin.term, to: destination.term, date: date)
        switch Self.wait({ desk.flights(query, $0) }) {
        case .failure(let failure):
            throw CommandError(failure, "no flights from \(origin.name) to \(destination.name) on \(date)")
        case .success(let answer):
            Output.print(
                answer.bytes(as: format, from: origin, to: destination, date: date, source: desk.address))
            // The text says so itself.
            if let reason = answer.staleReason, format != .text {
                Output.error("skyfs: may be out of date: \(DisplayText.sanitized(reason))\n")
            }
            return .success
        }
    }

    private func city(_ name: String, _ directory: CityDirectory) throws(CommandError) -> CityDirectory.Entry {
        guard let city = directory.entry(named: FileName(name)) else {
            throw CommandError(
                .notFound, "no such city: \(DisplayText.sanitized(name))",
                advice: "give its Chinese name, its English name or its code: 上海, Shanghai or SHA")
        }
        return city
    }

    private static func wait<Value: Sendable>(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
        let answer = Condition<Value?>(nil)
        ask { value in answer.update { $0 = value } }
        while true {
            if let value = answer.wait(until: { $0 != nil }, { $0 }) { return value }
        }
    }
}
