import Fuse
import HTTP
import Platform
import Uploads

/// `upload=wait`: a close that gives the server's verdict.
extension DropFolder {
    /// Parks the close of a file whose bytes are safe until the server has said what it makes of them. A signal ends the
    /// wait, not the upload; so does the operation's time limit without a byte going out.
    func awaitVerdict(_ number: Int64, _ record: UploadRecord, _ reply: consuming Reply) {
        let parked = context.park(reply)
        act { state in
            state.verdicts[number, default: []].append(DropVerdict(version: record.version, reply: parked))
            return state.queue.awaitVerdict(UploadID(rawValue: number), version: record.version, now: .now())
        }
        watch(number, parked, progress: -1)
    }

    private func watch(_ number: Int64, _ parked: ParkedReply, progress: Int64) {
        _ = context.client.schedule(after: context.options.operationTimeout) { [self] in
            let isWaiting = state.withLock { state in
                state.verdicts[number]?.contains { $0.reply === parked } ?? false
            }
            guard isWaiting else { return }
            let now = state.withLock { $0.transfers[number]?.progress.sent } ?? -1
            if now > progress { return watch(number, parked, progress: now) }
            state.withLock { $0.verdicts[number]?.removeAll { $0.reply === parked } }
            context.take(parked)?.fail(.timedOut)
        }
    }

    func answer(_ id: UploadID, _ version: Int64, _ verdict: UploadVerdict) {
        let waiting = state.withLock { state -> [DropVerdict] in
            let all = state.verdicts.removeValue(forKey: id.rawValue) ?? []
            let rest = all.filter { $0.version != version }
            if !rest.isEmpty { state.verdicts[id.rawValue] = rest }
            return all.filter { $0.version == version }
        }
        for waiter in waiting {
            guard let reply = context.take(waiter.reply) else { continue }
            switch verdict {
            // Withdrawn: the bytes are safe, and what becomes of them is no longer this close's business.
            case .accepted, .withdrawn: reply.done()
            case .failed(let reason): reply.fail(context.errnos.errno(for: reason))
            }
        }
    }
}
