import Glibc

/// Where programs keep their files unless the user says otherwise (XDG Base Directory Specification).
enum StandardFolder {
    /// For what must survive a reboot.
    case state
    /// For what may be lost.
    case cache

    /// nil if the environment names none.
    var path: String? {
        path(xdg: Self.variable(xdgVariable), home: Self.variable("HOME"), isRoot: geteuid() == 0)
    }

    func path(xdg: String?, home: String?, isRoot: Bool) -> String? {
        // "All paths set in these environment variables must be absolute."
        if let xdg, xdg.hasPrefix("/") { return "\(xdg)/skyfs" }
        if let home, home.hasPrefix("/") { return "\(home)/\(inHome)/skyfs" }
        // A service of the system.
        return isRoot ? "\(inSystem)/skyfs" : nil
    }

    private var xdgVariable: String { self == .state ? "XDG_STATE_HOME" : "XDG_CACHE_HOME" }
    private var inHome: String { self == .state ? ".local/state" : ".cache" }
    private var inSystem: String { self == .state ? "/var/lib" : "/var/cache" }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
