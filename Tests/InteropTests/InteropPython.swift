import Foundation
import Glibc
import MountHarness

/// The interpreter of an environment with programs from PyPI, which `scripts/setup` makes.
enum InteropPython {
    static var path: String {
        get throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let path = root.appending(path: ".build/interop/bin/python").path
            guard access(path, X_OK) == 0 else { throw HarnessError("no \(path): run scripts/setup") }
            return path
        }
    }
}
