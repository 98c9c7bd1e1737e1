import Filesystem
import Glibc
import HTTP
import Platform
import Uploads

/// Sends one file after the other to a target and tells how it goes.
struct FileSender {
    /// Tries for one file, where another may help.
    private static let tries = 3
    private static let pauses = Backoff(first: .seconds(2), limit: .seconds(10))
    /// A server that wants a longer one is not waited for: the user decides.
    private static let longestPause = Duration.seconds(60)

    private let client: HTTPClient
    private let target: DropTarget
    private let mediaTypes: MediaTypes
    private let line = StatusLine()

    init(client: HTTPClient, target: DropTarget) {
        self.client = client
        self.target = target
        // Debian's table of file name suffixes; without it every file is an octet stream.
        let table = FileReading.all("/etc/mime.types") ?? []
        mediaTypes = MediaTypes(text: String(decoding: table, as: UTF8.self))
    }

    /// Returns once the server has taken the file.
    func send(_ file: LocalFile) throws(CommandError) {
        // The same key for every try: a server that knows it does not take the file twice.
        let upload = target.form(
            fileName: file.name, path: nil, mediaType: mediaTypes.type(of: file.name), content: try file.content(),
            key: Self.randomKey())
        let shown = DisplayText.sanitized(file.path)
        let start = Instant.now()
        for attempt in 0... {
            let outcome = once(upload, shown)
            line.clear()
            if case .success(let status, _) = outcome {
                let size = upload.content.size
                let rate = Double(size) / max((Instant.now() - start).inSeconds, 0.001)
                Output.print(
                    "\(shown): sent, \(Quantity.words(size)), \(Quantity.words(Int64(rate)))/s, status \(status)\n")
                return
            }
            let failure = Self.failure(outcome, shown)
            guard attempt + 1 < Self.tries, let pause = Self.pause(outcome, attempt: attempt) else { throw failure }
            line.show("\(failure.message); again in \(Quantity.clock(seconds: pause.inSeconds))")
            usleep(UInt32(pause.wholeNanoseconds / 1000))
        }
    }

    private func once(_ upload: FormUpload, _ name: String) -> SendOutcome {
        let sending = FileSending()
        _ = client.upload(upload, sending)
        var rate = TransferRate(now: .now())
        let result = sending.result { progress in
            rate.update(bytes: progress.sent, now: .now())
            guard line.isLive, progress.total > 0 else { return }
            line.show(
                ProgressText.line(name, sent: progress.sent, total: progress.total, rate: rate.bytesPerSecond))
        }
        return target.outcome(of: result)
    }

    /// nil: another try would not help, or not soon.
    private static func pause(_ outcome: SendOutcome, attempt: Int) -> Duration? {
        switch outcome {
        case .again(let after?, _, _): after <= longestPause ? after : nil
        case .again, .lost, .notSent: pauses.delay(attempt: attempt, random: .random(in: 0..<1))
        case .success, .refused, .unauthorised, .unreachable, .cancelled: nil
        }
    }

    private static func failure(_ outcome: SendOutcome, _ name: String) -> CommandError {
        switch outcome {
        case .refused(_, let words), .again(_, _, let words), .notSent(let words):
            CommandError(.failure, "cannot send \(name): \(words)")
        case .unauthorised(_, let words):
            CommandError(
                .denied, "cannot send \(name): \(words)",
                advice: "user name and password come from ~/.netrc, other keys with --header")
        case .unreachable(let words): CommandError(.unreachable, "cannot send \(name): \(words)")
        case .lost(let words):
            CommandError(
                .failure, "cannot send \(name): \(words)", advice: "the server may have it all the same: look there")
        case .success, .cancelled: CommandError(.failure, "cannot send \(name): it was stopped")
        }
    }

    /// 128 random bits.
    private static func randomKey() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
