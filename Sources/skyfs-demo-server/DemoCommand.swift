/// What the command line asks for.
enum DemoCommand: Equatable {
    case help
    case serve(port: Int)
    case relay(port: Int, delay: Duration, bytesPerSecond: Int64?)

    struct UsageError: Error {
        let message: String
    }

    static let usage = """
        usage: skyfs-demo-server [--port N]
                 Serves sample files on 127.0.0.1 and prints the URL. /.stats tells what was asked so far,
                 /.pattern/SIZE is a file of that many bytes. /upload takes multipart/form-data and keeps sizes
                 and checksums; /.uploads lists them. /webservices/DomesticAirline.asmx is an invented flight
                 service.
               skyfs-demo-server relay --to PORT --delay-ms N [--rate BYTES_PER_SECOND]
                 Relays TCP to a port of 127.0.0.1 with that delay each way and that rate per connection, and prints
                 its own port.
        Ends at SIGTERM or SIGINT, or when the pipe or terminal at standard input is closed.
        """

    static func parse(_ arguments: [String]) throws(UsageError) -> DemoCommand {
        if arguments.contains("--help") || arguments.contains("-h") { return .help }
        guard arguments.first == "relay" else {
            let values = try values(of: arguments[...], known: ["--port"])
            return .serve(port: Int(try number(values["--port"] ?? "0", in: 0...65_535, for: "--port")))
        }
        let values = try values(of: arguments.dropFirst(), known: ["--to", "--delay-ms", "--rate"])
        guard let port = values["--to"], let delay = values["--delay-ms"] else {
            throw UsageError(message: "relay needs --to and --delay-ms")
        }
        var rate: Int64?
        if let value = values["--rate"] { rate = try number(value, in: 1...Int64(1e12), for: "--rate") }
        return .relay(
            port: Int(try number(port, in: 1...65_535, for: "--to")),
            delay: .milliseconds(try number(delay, in: 0...60_000, for: "--delay-ms")), bytesPerSecond: rate)
    }

    private static func values(
        of arguments: ArraySlice<String>, known: Set<String>
    ) throws(UsageError) -> [String: String] {
        var values: [String: String] = [:]
        var rest = arguments
        while let name = rest.popFirst() {
            guard known.contains(name) else { throw UsageError(message: "unknown argument \(name)") }
            guard let value = rest.popFirst() else { throw UsageError(message: "\(name) needs a value") }
            values[name] = value
        }
        return values
    }

    private static func number(
        _ text: String, in range: ClosedRange<Int64>, for name: String
    ) throws(UsageError) -> Int64 {
        guard let number = Int64(text), range.contains(number) else {
            throw UsageError(message: "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
