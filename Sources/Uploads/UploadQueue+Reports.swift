package import Platform

extension UploadQueue {
    /// What a row of the journal says about this file now; nil if it is not known (any more).
    package func record(of id: UploadID) -> UploadRecord? { live(id)?.record }

    /// Open handles that may write; 0 if the file is not known (any more).
    package func writers(of id: UploadID) -> Int { live(id)?.writers ?? 0 }

    /// Whether its name is one that goes up; false if it is not known (any more).
    package func isCandidate(_ id: UploadID) -> Bool { live(id)?.isCandidate ?? false }

    /// nil if the file is not known (any more).
    package func report(of id: UploadID, now: Instant) -> UploadReport? {
        guard let file = live(id) else { return nil }
        return UploadReport(
            state: file.state(settle: options.settle, now: now), version: file.version, attempts: file.attempts,
            nextTry: file.scheduled.flatMap { $0 > now ? $0 : nil }, status: file.status, words: file.words)
    }

    /// Goes through all files.
    package func summary(now: Instant) -> UploadSummary {
        var summary = UploadSummary()
        for file in files.values where !file.isRemoved {
            summary.counts[file.state(settle: options.settle, now: now), default: 0] += 1
        }
        summary.sent = sent
        summary.pause = pause.state
        return summary
    }
}
