/// What the servers themselves do not do with the names of `AwkwardTree`.
extension WebServer.Kind {
    private static let controls = ["\rreturn", "line\nbreak", "tab\there"]
    private static let foreign = AwkwardTree.foreign.map { String(decoding: $0, as: UTF8.self) }

    /// Files that are not to be had at their path. rclone takes control characters for signs of their own, lighttpd refuses
    /// them; to Python's programs and in S3 a name is UTF-8.
    var unserved: [String] {
        switch self {
        case .lighttpd: Self.controls + ["\u{FFFD}.bin"]
        case .rclone, .rcloneWebDAV: Self.controls
        case .python, .wsgidav: Self.foreign
        case .moto: Self.foreign + ["line\nbreak"]
        default: []
        }
    }

    /// Names that are in the listing but not in the directory, and lead nowhere.
    var inventions: [String] {
        switch self {
        case .rclone, .rcloneWebDAV: ["␍return", "line␊break", "tab␉here"]
        // A byte that is not UTF-8 becomes the three of a surrogate.
        case .python:
            AwkwardTree.foreign.map { name in
                let link = name.flatMap { $0 < 0x80 ? [$0] : [0xED, 0xB2 + ($0 >> 6 & 1), 0x80 | $0 & 0x3F] }
                return String(decoding: link, as: UTF8.self)
            }
        default: []
        }
    }

    /// Whether the server's listing leaves a file out that it serves.
    func hides(_ path: [UInt8]) -> Bool {
        let isDotted = path.split(separator: UInt8(ascii: "/")).contains { $0.first == UInt8(ascii: ".") }
        return [.nginx, .nginxJSON, .nginxRounded, .copyparty].contains(self) && isDotted
    }

    /// Whether the server takes no such file, or has no listing any more where it is: wsgidav answers 500.
    func breaks(at path: [UInt8]) -> Bool {
        switch self {
        case .wsgidav: AwkwardTree.foreign.contains(path)
        case .moto: AwkwardTree.foreign.contains(path) || path.contains(UInt8(ascii: "\n"))
        default: false
        }
    }
}
