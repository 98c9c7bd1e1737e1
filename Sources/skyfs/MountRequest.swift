import Filesystem
import Flights
import FoundationEssentials
import HTTP
import Platform

/// A mount as it was asked for: what goes from the command to the process that serves it, over a pipe.
struct MountRequest: Codable {
    struct Source: Codable {
        /// nil: the root of the mount.
        var name: String?
        var url: String
        /// Of a drop folder.
        var form: UploadForm?
        /// Of the flights. With neither: files to read.
        var flights: FlightAccess?

        /// As it would stand on a command line, without secrets.
        var shown: String {
            let address = (try? MountRequest.parse(url).url.masked) ?? "…"
            let prefix = form != nil ? MountRequest.dropPrefix : flights != nil ? MountRequest.flightsPrefix : ""
            return (name.map { "\($0)=" } ?? "") + prefix + address
        }
    }

    /// Before the URL of an upload target.
    static let dropPrefix = "drop+"
    /// Before the URL of a flight service.
    static let flightsPrefix = "flights+"
    /// The flight service at its usual address.
    static let flightsWord = "flights:"

    var sources: [Source] = []
    /// Absolute.
    var mountPoint = ""
    /// `name=value`
    var options: [String] = []
    var isForeground = false

    /// Adds one SOURCE or NAME=SOURCE. Userinfo stays in `url` until the worker takes it out.
    mutating func add(_ text: String) throws(CommandError) {
        let prefix = text.prefix { $0 != "=" && $0 != ":" && $0 != "/" }
        let rest = text.dropFirst(prefix.count)
        guard rest.first == "=" else { return try add(name: nil, url: text) }
        try add(name: String(prefix), url: String(rest.dropFirst()))
    }

    /// - Parameters:
    ///   - form: of a drop folder; nil: the usual one.
    ///   - flights: of the flights; nil: the usual access.
    mutating func add(
        name: String?, url: String, form: UploadForm? = nil, flights: FlightAccess? = nil
    ) throws(CommandError) {
        if let name {
            guard FileName(name).isValid, name != ".skyfs" else {
                throw CommandError(
                    .usage, "source name \"\(DisplayText.sanitized(name))\": cannot be the name of a directory")
            }
            guard !sources.contains(where: { $0.name == name }) else {
                throw CommandError(.usage, "source name \"\(name)\": given twice")
            }
        }
        var source = Source(name: name, url: url)
        if url.hasPrefix(Self.dropPrefix) {
            source.url = String(url.dropFirst(Self.dropPrefix.count))
            source.form = form ?? UploadForm()
        } else if url == Self.flightsWord || url.hasPrefix(Self.flightsPrefix) {
            let isUsual = url == Self.flightsWord
            source.url = isUsual ? FlightService.usualAddress : String(url.dropFirst(Self.flightsPrefix.count))
            source.flights = flights ?? FlightAccess()
        }
        let parsed = try Self.parse(source.url).url
        if source.flights != nil, parsed.query != nil {
            throw CommandError(
                .usage, "flight service \(parsed.masked): its URL has a query",
                advice: "leave out what begins with \"?\"; a customer's number stands in a configuration file as userID"
            )
        }
        sources.append(source)
    }

    var hasDropFolder: Bool { sources.contains { $0.form != nil } }

    var hasFlights: Bool { sources.contains { $0.flights != nil } }

    /// Gives all drop folders so far the same form.
    mutating func setForm(_ form: UploadForm) {
        for index in sources.indices where sources[index].form != nil { sources[index].form = form }
    }

    func check() throws(CommandError) {
        guard !sources.isEmpty else { throw CommandError(.usage, "no source given", advice: "see skyfs mount --help") }
        guard sources.count == 1 || sources.allSatisfy({ $0.name != nil }) else {
            throw CommandError(
                .usage, "several sources need names",
                advice: "write NAME=URL for each, for example files=https://host/dir/")
        }
        guard sources.count(where: { $0.form != nil || $0.flights != nil }) <= MountTree.maximumBranches else {
            throw CommandError(
                .usage, "more than \(MountTree.maximumBranches) drop folders and flight services",
                advice: "make more than one mount")
        }
    }

    static func parse(_ url: String) throws(CommandError) -> (url: HTTPURL, credentials: Credentials?) {
        do {
            guard url.contains("://") else {
                throw URLError.malformed("it does not begin with http:// or https://")
            }
            return try HTTPURL.parse(url)
        } catch {
            throw CommandError(
                .usage, "not a source: \(SecretMask.shown(url)): \(error)",
                advice: "a source is the http or https URL of a directory or of a file, drop+URL to send files there, "
                    + "or flights: for flights"
            )
        }
    }

    /// Whether a user name stands in a URL.
    var hasCredentials: Bool { sources.contains { (try? Self.parse($0.url))?.credentials != nil } }

    /// Whether requests carry headers of the user, which are mostly keys.
    var hasHeaders: Bool { sources.contains { $0.form?.headers.isEmpty == false } }

    /// Whether requests to a flight service carry a customer's number.
    var hasUserID: Bool { sources.contains { $0.flights?.userID.isEmpty == false } }

    /// Whether the words on the command line should not stand in the list of processes: credentials, form fields, or a
    /// query, which may be a signature.
    var hasSecrets: Bool {
        hasCredentials
            || sources.contains { $0.form?.hasSecrets == true || (try? Self.parse($0.url))?.url.query != nil }
    }
}
