import Filesystem
import Glibc
import Platform

/// One `-o` option: its name, help and effect. The one table that the command line, the configuration file and the help
/// share.
struct MountOption: Sendable {
    let name: String
    /// What stands behind "="; nil for a word without value.
    let value: String?
    let standard: String
    let help: String
    /// - Returns: false if the value cannot be read.
    let apply: @Sendable (inout MountSettings, String) -> Bool

    static let all: [MountOption] = [
        time("ttl", "60", "how long a listing or attribute is believed when the server says nothing") {
            $0.filesystem.ttl = $1
        },
        time("timeout", "30", "an operation without progress towards its answer fails") {
            $0.filesystem.operationTimeout = $1
        },
        time("connect_timeout", "10", "to connect") { $0.connectTimeout = $1 },
        time("stall", "15", "a transfer without a byte is given up and tried again") { $0.stallTimeout = $1 },
        MountOption(name: "connections", value: "N", standard: "8", help: "connections per host in all (1 to 64)") {
            guard let count = Int($1), 1...64 ~= count else { return false }
            $0.filesystem.connectionsPerHost = count
            return true
        },
        MountOption(
            name: "memory", value: "SIZE", standard: "128M", help: "budget for file data in memory (at least 8M)"
        ) {
            guard let size = Quantity.bytes($1), size >= 8 << 20 else { return false }
            $0.filesystem.memory = size
            return true
        },
        file("cache", "~/.cache/skyfs", "flights: where answers of the service are kept", kind: "FOLDER") {
            $0.filesystem.cache = $1
        },
        MountOption(
            name: "flights_budget", value: "N", standard: "50",
            help: "flights: requests to the service a day, by all of your processes together"
        ) {
            guard let count = Int($1), 0...1_000_000 ~= count else { return false }
            $0.flightsBudget = count
            return true
        },
        file("spool", "~/.local/state/skyfs", "drop folder: where files wait until they are sent", kind: "FOLDER") {
            $0.filesystem.spool = $1
        },
        MountOption(
            name: "settle", value: "TIME", standard: "1", help: "drop folder: a file goes up after this quiet time"
        ) {
            guard let time = Quantity.time($1) else { return false }
            $0.filesystem.settle = time
            return true
        },
        time("retry", "2", "drop folder: first pause before the next try; doubles up to a minute") {
            $0.filesystem.retry = $1
        },
        MountOption(name: "uploads", value: "N", standard: "3", help: "drop folder: uploads at a time (1 to 16)") {
            guard let count = Int($1), 1...16 ~= count else { return false }
            $0.filesystem.uploads = count
            return true
        },
        MountOption(
            name: "upload", value: "async|wait", standard: "async",
            help: "drop folder: wait makes close give the server's verdict"
        ) {
            guard $1 == "async" || $1 == "wait" else { return false }
            $0.filesystem.waitsForVerdict = $1 == "wait"
            return true
        },
        flag("external_links", "list links to other hosts") { $0.filesystem.allowsExternalLinks = true },
        flag("forbidden_is_missing", "403 means that there is no such file") {
            $0.filesystem.forbiddenIsMissing = true
        },
        number("uid", "yours", "owner of everything shown") { $0.filesystem.user = $1 },
        number("gid", "yours", "group of everything shown") { $0.filesystem.group = $1 },
        MountOption(
            name: "umask", value: "OCTAL", standard: "022, drop folders 077", help: "permission bits taken away"
        ) {
            guard let mask = UInt32($1, radix: 8), mask <= 0o777 else { return false }
            $0.filesystem.umask = mask
            $0.filesystem.dropMask = mask
            return true
        },
        text("fsname", "the URL", "source shown in /proc/mounts") { $0.fsname = $1 },
        file("netrc", "~/.netrc", "user names and passwords by host") { $0.netrc = $1 },
        file("log", "syslog", "write the log there instead of syslog or, with -f, standard error") { $0.logFile = $1 },
        flag("debug", "log more") { $0.logLevel = .debug },
        flag("allow_other", "let other users in") { $0.allowsOther = true },
        flag("nonempty", "mount over a directory that is not empty") { $0.allowsNonEmpty = true },
    ]

    /// Words of mount(8) and fstab(5) that mean nothing here, or that the mount is anyway.
    private static let ignored: Set<String> = [
        "_netdev", "nofail", "noauto", "auto", "user", "users", "nouser", "owner", "group", "defaults",
        "default_permissions", "relatime", "norelatime", "noatime", "atime", "nodiratime", "diratime", "strictatime",
        "nostrictatime", "lazytime", "nolazytime", "silent", "loud",
    ]
    private static let accessWords: Set<String> = ["ro", "rw"]
    /// Words for the kernel.
    private static let passedOn: Set<String> = [
        "nosuid", "suid", "nodev", "dev", "noexec", "exec", "sync", "async", "dirsync",
    ]

    private static func isIgnored(_ name: String) -> Bool {
        ignored.contains(name) || name.hasPrefix("x-") || name.hasPrefix("X-") || name == "comment"
    }

    /// Whether `apply` knows what to do with the name.
    static func isKnown(_ name: String) -> Bool {
        isIgnored(name) || accessWords.contains(name) || passedOn.contains(name) || all.contains { $0.name == name }
    }

    /// Applies one `name=value`. A relative path is one of the current directory.
    static func apply(_ word: String, to settings: inout MountSettings) throws(CommandError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        if isIgnored(name) { return }
        if accessWords.contains(name) {
            settings.isReadOnly = name == "ro"
            return
        }
        if passedOn.contains(name) {
            settings.passedOn.append(name)
            return
        }
        guard let option = all.first(where: { $0.name == name }) else {
            throw CommandError(
                .usage, "unknown mount option: \(DisplayText.sanitized(name))",
                advice: NearNames.advice(NearNames(all.map(\.name)).near(name), otherwise: "skyfs mount --help"))
        }
        guard option.apply(&settings, parts.count > 1 ? parts[1] : "") else {
            throw CommandError(
                .usage,
                "mount option \(name): cannot read \"\(DisplayText.sanitized(parts.count > 1 ? parts[1] : ""))\"",
                advice: "it takes \(option.value ?? "no value"): \(option.help)")
        }
    }

    private static func time(
        _ name: String, _ standard: String, _ help: String,
        _ set: @escaping @Sendable (inout MountSettings, Duration) -> Void
    ) -> MountOption {
        MountOption(name: name, value: "TIME", standard: standard, help: help) {
            guard let time = Quantity.time($1), time > .zero else { return false }
            set(&$0, time)
            return true
        }
    }

    private static func number(
        _ name: String, _ standard: String, _ help: String,
        _ set: @escaping @Sendable (inout MountSettings, UInt32) -> Void
    ) -> MountOption {
        MountOption(name: name, value: "N", standard: standard, help: help) {
            guard let number = UInt32($1) else { return false }
            set(&$0, number)
            return true
        }
    }

    private static func text(
        _ name: String, _ standard: String, _ help: String,
        _ set: @escaping @Sendable (inout MountSettings, String) -> Void
    ) -> MountOption {
        MountOption(name: name, value: "TEXT", standard: standard, help: help) {
            guard !$1.isEmpty, $1.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
            set(&$0, $1)
            return true
        }
    }

    private static func file(
        _ name: String, _ standard: String, _ help: String, kind: String = "FILE",
        _ set: @escaping @Sendable (inout MountSettings, String) -> Void
    ) -> MountOption {
        MountOption(name: name, value: kind, standard: standard, help: help) {
            guard !$1.isEmpty, let folder = getcwd(nil, 0) else { return false }
            defer { free(folder) }
            set(&$0, $1.hasPrefix("/") ? $1 : String(cString: folder) + "/" + $1)
            return true
        }
    }

    private static func flag(
        _ name: String, _ help: String, _ set: @escaping @Sendable (inout MountSettings) -> Void
    ) -> MountOption {
        MountOption(name: name, value: nil, standard: "off", help: help) {
            guard $1.isEmpty || $1 == "true" else { return $1 == "false" }
            set(&$0)
            return true
        }
    }
}
