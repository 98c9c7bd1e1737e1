import Platform

/// The text of `failed/NAME.error.txt`: what happened to a file that did not go up, and what can be done.
package enum FailureText {
    /// - Parameters:
    ///   - name: of the file in `failed/`.
    ///   - url: of the target, masked already.
    package static func make(name: String, url: String, reason: FailureReason) -> String {
        let name = DisplayLine.make(name)
        let (what, advice) = parts(reason)
        return """
            \(name) was not uploaded to \(DisplayLine.make(url)).

            \(what)

            \(advice)

            """
    }

    /// One line for the log and the status report.
    package static func summary(_ reason: FailureReason) -> String {
        switch reason {
        case .incomplete: "incomplete: its writer ended before it was whole"
        case .refused(_, let words): DisplayLine.make(words)
        case .resultUnknown(let tries, let words):
            DisplayLine.make("result unknown: sent \(tries) times without an answer: \(words)")
        }
    }

    private static func parts(_ reason: FailureReason) -> (what: String, advice: String) {
        switch reason {
        case .incomplete:
            (
                "The file is incomplete: the program that wrote it, or this one, ended before all of it was there. "
                    + "It was never sent like this.",
                "Copy it into the drop folder again and delete this one. To send it as it is, move it back."
            )
        case .refused(let status, let words):
            (
                "The server's answer: \(words.isEmpty ? StatusPhrase.make(status) : DisplayLine.make(words))",
                refusedAdvice(status)
            )
        case .resultUnknown(let tries, let words):
            (
                "It was sent whole \(tries) times, and no answer came: \(DisplayLine.make(words)). "
                    + "The result is unknown: the server may have it, or not.",
                "Look on the server whether it is there. If it is, delete this one; if not, move it back into the drop "
                    + "folder to send it again."
            )
        }
    }

    private static func refusedAdvice(_ status: Int) -> String {
        let hint =
            switch status {
            case 200..<300: "The server reports an error of its own; its words above should tell which. "
            case 300..<400:
                "Either the address of the target has changed, or the server says yes in this way: then name the "
                    + "status as success in the settings of the target. "
            case 404, 405, 410: "The address of the target may be wrong. "
            case 413: "The file is larger than the server takes. "
            case 415: "The server does not take files of this kind. "
            case 409: "The server may have a file of this name already. "
            default: ""
            }
        return hint + "To try again, move the file back into the drop folder; to give up, delete it."
    }
}
