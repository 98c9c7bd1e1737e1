import Fuse
import Platform

/// A read that waits for its bytes. The answer may be ready before the reply is parked, or after the reader went away.
final class ReadWaiter: Sendable {
    enum Outcome: Sendable {
        case data(ByteSlice, ByteSlice?)
        case endOfFile
        case failed(Errno)

        var byteCount: Int {
            if case .data(let first, let second) = self { first.count + (second?.count ?? 0) } else { 0 }
        }
    }

    private enum State: Sendable {
        case empty
        case parked(ParkedReply)
        case answered(Outcome)
        case done
    }

    let offset: Int64
    let length: Int
    private let context: MountContext
    private let state = Lock(State.empty)

    init(context: MountContext, offset: Int64, length: Int) {
        self.context = context
        self.offset = offset
        self.length = length
    }

    /// Gives the answer now, or as soon as the reply is parked.
    func answer(_ outcome: Outcome) {
        let parked: ParkedReply? = state.withLock { state in
            switch state {
            case .empty:
                state = .answered(outcome)
                return nil
            case .parked(let parked):
                state = .done
                return parked
            case .answered, .done:
                return nil
            }
        }
        if let parked { Self.give(outcome, context.take(parked)) }
    }

    func park(_ parked: ParkedReply) {
        let outcome: Outcome? = state.withLock { state in
            if case .answered(let outcome) = state {
                state = .done
                return outcome
            }
            state = .parked(parked)
            return nil
        }
        if let outcome { Self.give(outcome, context.take(parked)) }
    }

    private static func give(_ outcome: Outcome, _ reply: consuming Reply?) {
        guard let reply else { return }
        switch outcome {
        case .data(let first, let second): reply.data(first, second)
        case .endOfFile: reply.empty()
        case .failed(let errno): reply.fail(errno)
        }
    }
}
