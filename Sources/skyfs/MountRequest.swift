import FoundationEssentials
import HTTP
import Platform

/// A mount as it was asked for: what goes from the command to the process that serves it, over a pipe.
struct MountRequest: Codable {
    struct Source: Codable {
        /// nil: the root of the mount.
        var name: String?
        var url: String
    }

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

    mutating func add(name: String?, url: String) throws(CommandError) {
        if let name {
            guard FileName(name).isValid, name != ".skyfs" else {
                throw CommandError(
                    .usage, "source name \"\(DisplayText.sanitized(name))\": cannot be the name of a directory")
            }
            guard !sources.contains(where: { $0.name == name }) else {
                throw CommandError(.usage, "source name \"\(name)\": given twice")
            }
        }
        _ = try Self.parse(url)
        sources.append(Source(name: name, url: url))
    }

    func check() throws(CommandError) {
        guard !sources.isEmpty else { throw CommandError(.usage, "no source given", advice: "see skyfs mount --help") }
        guard sources.count == 1 || sources.allSatisfy({ $0.name != nil }) else {
            throw CommandError(
                .usage, "several sources need names",
                advice: "write NAME=URL for each, for example files=https://host/dir/")
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
                advice: "this version mounts http and https sources: the URL of a directory or of a file")
        }
    }

    /// Whether a user name stands in a URL.
    var hasCredentials: Bool { sources.contains { (try? Self.parse($0.url))?.credentials != nil } }

    /// Whether the words on the command line should not stand in the list of processes: credentials, or a query, which may
    /// be a signature.
    var hasSecrets: Bool { hasCredentials || sources.contains { (try? Self.parse($0.url))?.url.query != nil } }
}
