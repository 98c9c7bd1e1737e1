import FoundationEssentials
import Glibc

/// What a mount says about itself, as far as commands need it.
struct MountReport: Decodable {
    /// The process that serves it.
    var pid: pid_t
    /// Its drop folders; nil if it has none.
    var drop: [DropReport]?

    /// nil if the report cannot be read.
    init?(_ mount: String) {
        guard let bytes = FileReading.all("\(mount)/.skyfs/status.json"),
            let report = try? JSONDecoder().decode(MountReport.self, from: Data(bytes))
        else { return nil }
        self = report
    }
}
