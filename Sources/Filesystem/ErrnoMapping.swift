import Flights
import HTTP
import Platform
import Uploads

/// The only place where a failure becomes an error number, and the only place that logs a failed request.
struct ErrnoMapping: Sendable {
    let forbiddenIsMissing: Bool
    let log: Log

    /// The error number that the program behind the system call sees. Logged once, with the URL without secrets.
    func report(_ failure: FileFailure, of url: HTTPURL) -> Errno {
        let errno = errno(for: failure)
        switch failure {
        case .shutDown, .transfer(.cancelled): break
        default: log.warning("\(url.masked): \(failure.words)")
        }
        return errno
    }

    /// Of a failure that went through the segments, which know no failures of this layer.
    func errno(for failure: any Error) -> Errno { (failure as? FileFailure).map(errno(for:)) ?? .io }

    func errno(for failure: FileFailure) -> Errno {
        switch failure {
        case .status(let status): errno(forStatus: status)
        case .transfer(let error): errno(for: error)
        case .changed: .stale
        case .wrongAnswer, .listing, .shutDown: .io
        case .noProgress: .timedOut
        }
    }

    func errno(for failure: FlightsFailure) -> Errno {
        switch failure {
        case .service(let error):
            switch error {
            case .unknownCity: .noEntry
            case .quota: .again
            case .refused, .notTheAnswer: .io
            }
        case .budgetSpent, .paused, .crowded: .again
        case .uncounted: .io
        case .transfer(let error): errno(for: error)
        }
    }

    /// Of a file that its target will not take.
    func errno(for reason: FailureReason) -> Errno {
        switch reason {
        case .refused(413, _): .tooBig
        case .refused(507, _): .noSpace
        case .refused(let status, _) where [401, 403].contains(status): .access
        case .incomplete, .refused, .resultUnknown: .io
        }
    }

    private func errno(forStatus status: Int) -> Errno {
        switch status {
        case 404, 410: .noEntry
        case 403: forbiddenIsMissing ? .noEntry : .access
        case 401, 407: .access
        case 412: .stale
        default: .io
        }
    }

    private func errno(for error: TransferError) -> Errno {
        switch error {
        case .notConnected, .notResolved: .hostUnreachable
        case .stalled, .timedOut: .timedOut
        case .cancelled: .interrupted
        case .tooManyRedirects: .loop
        case .tls, .cut, .noAnswer, .badHead, .refusedRedirect, .refusedRequest, .tooLarge, .other: .io
        }
    }
}
