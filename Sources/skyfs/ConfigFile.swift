import FoundationEssentials
import Glibc
import Platform

/// A JSON5 file with sources and mount options.
struct ConfigFile {
    private struct Content: Decodable {
        var source: ConfigSource?
        var sources: [String: ConfigSource] = [:]
        /// Without a value: it is neither text nor number nor truth value.
        var options: [(name: String, value: String?)] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ConfigKey.self)
            for key in container.allKeys {
                switch key.stringValue {
                case "source": source = try container.decode(ConfigSource.self, forKey: key)
                case "sources": sources = try container.decode([String: ConfigSource].self, forKey: key)
                default: options.append((key.stringValue, (try? container.decode(ConfigValue.self, forKey: key))?.text))
                }
            }
        }
    }

    /// A configuration is small; anything larger is another file.
    private static let maximumSize = 1 << 20

    let path: String

    /// Adds what the file says. Options of the command line, added later, win.
    func add(to request: inout MountRequest) throws(CommandError) {
        let (bytes, mode) = try read()
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let content: Content
        do {
            content = try decoder.decode(Content.self, from: Data(bytes))
        } catch {
            throw CommandError(
                .usage, "cannot read \(path): \(Self.words(error))", advice: "it is a JSON5 object; see examples/")
        }
        if let source = content.source { try source.add(to: &request, name: nil, place: "\(path): source") }
        for (name, source) in content.sources.sorted(by: { $0.key < $1.key }) {
            try source.add(to: &request, name: name, place: "\(path): sources.\(DisplayText.sanitized(name))")
        }
        var settings = MountSettings()
        for (name, value) in content.options.sorted(by: { $0.name < $1.name }) {
            guard MountOption.isKnown(name) else {
                let keys = ["source", "sources"] + MountOption.all.map(\.name)
                throw CommandError(
                    .usage, "\(path): unknown key: \(DisplayText.sanitized(name))",
                    advice: NearNames.advice(NearNames(keys).near(name), otherwise: "skyfs mount --help"))
            }
            guard let value else {
                throw CommandError(.usage, "\(path): the value of \(name): neither text nor number nor true or false")
            }
            let word = "\(name)=\(value)"
            try MountOption.apply(word, to: &settings)
            request.options.append(word)
        }
        if request.hasCredentials || request.hasHeaders || request.hasUserID, mode & 0o077 != 0 {
            throw CommandError(
                .usage, "\(path): holds a password, headers or a userID and can be read by others",
                advice: "chmod 600 \(path)")
        }
    }

    private func read() throws(CommandError) -> (bytes: [UInt8], mode: mode_t) {
        // A named pipe without a writer would hang the open.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw CommandError(.usage, "cannot read \(path): \(Errno.current)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximumSize
        else {
            throw CommandError(.usage, "cannot read \(path): not a file of at most 1 MiB")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return (Array(bytes.prefix(max(0, count))), status.st_mode)
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is not JSON5" }
        return switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context),
            .keyNotFound(_, let context):
            context.codingPath.isEmpty
                ? "it is not a JSON5 object"
                : "the value of \(context.codingPath.map(\.stringValue).joined(separator: "."))"
        @unknown default: "it is not JSON5"
        }
    }
}
