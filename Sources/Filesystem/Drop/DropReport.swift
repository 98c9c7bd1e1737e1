import HTTP
import Platform
import Uploads

/// What the status report says of one drop folder.
struct DropReport: Encodable, Sendable {
    struct File: Encodable, Sendable {
        var path: String
        var state: String
        /// Bytes.
        var size: Int64
        /// Bytes of the form that have gone out in the present try, and its size.
        var sent, total: Int64
        var attempts: Int
        /// Seconds.
        var nextTryIn: Double?
        /// What the last try came to.
        var words: String
    }

    /// More would make the report as large as the folder.
    private static let maximumFiles = 100

    var name: String
    var target: String
    /// Files that are being written, settle, or wait for their turn.
    var pending: Int
    var sending: Int
    /// Files in `failed/`.
    var failed: Int
    /// Since the mount.
    var sent: Int
    /// Why nothing goes up for now.
    var paused: String?
    /// Seconds until the target is tried again.
    var pausedFor: Double?
    /// Files, folders and receipts that are kept in memory: those that can be seen, and those removed but in use.
    var nodes: Int
    var files: [File]

    init(_ folder: DropFolder) {
        let now = Instant.now()
        name = folder.name?.description ?? ""
        target = folder.target.url.masked
        let (summary, unfinished, nodes, files) = folder.state.withLock { state in
            (
                state.queue.summary(now: now), state.deliveries.count, state.tree.nodes.count,
                state.tree.files(limit: Self.maximumFiles).compactMap { File($0, state, now: now) }
            )
        }
        let inQueue = summary.counts[.sending] ?? 0
        // What has arrived is not done with before its receipt is safe.
        sending = inQueue + unfinished
        pending = summary.pending - inQueue
        failed = summary.counts[.failed] ?? 0
        sent = summary.sent
        paused = summary.pause?.words
        pausedFor = summary.pause.map { max(($0.until - now).inSeconds, 0) }
        self.nodes = nodes
        self.files = files
    }

    /// For people, without the files that need no words.
    var lines: [String] {
        let title = (name.isEmpty ? "" : "\(name) = ") + target
        var lines = ["drop    \(title)  \(pending) waiting, \(sending) being sent, \(failed) failed, \(sent) sent"]
        if let paused {
            lines.append("        paused\(pausedFor.map { " for \(Int($0.rounded(.up))) s" } ?? ""): \(paused)")
        }
        for file in files where file.state != "parked" {
            var words = ["\(file.path): \(file.state)"]
            if file.total > 0 { words.append("\(file.sent * 100 / file.total) % of \(file.size) bytes") }
            if file.attempts > 1 { words.append("try \(file.attempts)") }
            if let next = file.nextTryIn, next >= 1 { words.append("next try in \(Int(next.rounded(.up))) s") }
            if !file.words.isEmpty { words.append(file.words) }
            lines.append("        " + words.joined(separator: ", "))
        }
        return lines
    }
}

extension DropReport.File {
    fileprivate init?(_ number: Int64, _ state: DropState, now: Instant) {
        guard let file = state.tree[number]?.file,
            let report = state.queue.report(of: UploadID(rawValue: number), now: now)
        else { return nil }
        let progress = state.transfers[number]?.progress ?? (sent: 0, total: 0)
        let zone = state.tree.zone(of: number) == .failed ? "failed/" : ""
        self.init(
            path: DisplayText.sanitized(zone + state.tree.path(of: number)), state: report.state.rawValue,
            size: file.size, sent: progress.sent, total: progress.total, attempts: report.attempts,
            nextTryIn: report.nextTry.map { ($0 - now).inSeconds }, words: DisplayText.sanitized(report.words))
    }
}

extension DropFolder {
    func extendedAttributes(_ number: Int64) -> [(name: String, value: String)] {
        let now = Instant.now()
        return state.withLock { state in
            guard let file = DropReport.File(number, state, now: now) else { return [] }
            var result = [("user.skyfs.state", file.state)]
            if file.total > 0 { result.append(("user.skyfs.progress", "\(file.sent)/\(file.total)")) }
            if !file.words.isEmpty { result.append(("user.skyfs.error", file.words)) }
            return result
        }
    }
}
