import Glibc

/// Waits until nothing is left to send in the drop folders of a mount, and says what it waits for.
struct UploadWait {
    /// Milliseconds between two looks.
    private static let interval: UInt32 = 200

    let mount: String
    /// What else the user may do.
    var hint: String?
    /// Whether it says what it waits for.
    var tells = true

    /// - Returns: the last reports; nil once the mount does not answer any more.
    func run() -> [DropReport]? {
        let line = StatusLine()
        defer { if tells { line.clear() } }
        var said = ""
        while let report = MountReport(mount) {
            let reports = report.drop ?? []
            let waiting = reports.filter { !$0.isEmpty }
            if waiting.isEmpty { return reports }
            let text = "waiting for " + waiting.map(\.words).joined(separator: ", ")
            // On a terminal the numbers run; elsewhere one line is enough until something else is in the way.
            let news = line.isLive ? text : waiting.map { "\($0.target) \($0.paused ?? "")" }.joined()
            if tells, news != said {
                // Before the line that is drawn over itself.
                if said.isEmpty, let hint { line.note(hint) }
                line.show(text)
                said = news
            }
            usleep(Self.interval * 1000)
        }
        return nil
    }

    /// What could not be sent, in words; nil if nothing failed.
    func failures(_ reports: [DropReport]) -> CommandError? {
        let failed = reports.filter { $0.failed > 0 }
        guard !failed.isEmpty else { return nil }
        let count = failed.reduce(0) { $0 + $1.failed }
        return CommandError(
            .failure, "\(count) \(count == 1 ? "file" : "files") could not be sent",
            advice: "why stands beside each in " + failed.map { $0.failedFolder(mount) }.joined(separator: " and "))
    }
}
