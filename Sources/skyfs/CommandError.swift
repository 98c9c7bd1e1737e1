import Filesystem
import Flights
import Fuse
import HTTP

/// A failed command in words: what failed and why, and what to do about it.
struct CommandError: Error {
    var code: ExitCode
    /// "what failed: why", without secrets.
    var message: String
    /// One line for the user; nil if there is nothing to advise.
    var advice: String?

    init(_ code: ExitCode, _ message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// As it is printed on standard error.
    var text: String { "skyfs: \(message)\n" + (advice.map { "       \($0)\n" } ?? "") }

    init(_ error: SourceError) {
        let code: ExitCode =
            switch error.kind {
            case .notFound: .notFound
            case .denied: .denied
            case .unreachable: .unreachable
            case .notAListing: .notAListing
            case .other: .failure
            }
        self.init(code, "cannot mount \(error.url.masked): \(error.reason)", advice: error.advice)
    }

    /// - Parameter what: what there is no answer to.
    init(_ failure: FlightsFailure, _ what: String) {
        let (code, advice): (ExitCode, String) =
            switch failure {
            case .service(.unknownCity): (.notFound, "give another city, or its code")
            case .service(.quota), .budgetSpent: (.tooOften, "try again tomorrow")
            case .crowded, .paused: (.tooOften, "try again in a minute")
            case .service: (.failure, "try again later, or look at the service's address")
            case .uncounted: (.failure, "see -o cache=FOLDER")
            case .transfer(.notResolved), .transfer(.notConnected), .transfer(.stalled), .transfer(.timedOut),
                .transfer(.noAnswer):
                (.unreachable, "check the network and the service's address")
            case .transfer: (.failure, "try again later")
            }
        self.init(code, "\(what): \(failure.words)", advice: advice)
    }

    init(_ error: MountError) {
        let code: ExitCode =
            switch error {
            case .noDevice, .notPermitted, .fusermountMissing, .allowOtherNotPermitted: .noFuse
            case .mountPointMissing, .notADirectory, .staleMount, .alreadyMounted, .unreachable: .mountPoint
            case .invalidOption: .usage
            case .refused: .failure
            }
        self.init(code, "cannot mount: \(error)", advice: error.advice)
    }
}
