import Glibc

/// Where what must survive a reboot is kept (XDG Base Directory Specification).
enum StateFolder {
    /// nil if the environment names none.
    static var standard: String? {
        path(xdg: variable("XDG_STATE_HOME"), home: variable("HOME"), isRoot: geteuid() == 0)
    }

    static func path(xdg: String?, home: String?, isRoot: Bool) -> String? {
        // "All paths set in these environment variables must be absolute."
        if let xdg, xdg.hasPrefix("/") { return "\(xdg)/skyfs" }
        if let home, home.hasPrefix("/") { return "\(home)/.local/state/skyfs" }
        // A service of the system.
        return isRoot ? "/var/lib/skyfs" : nil
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
