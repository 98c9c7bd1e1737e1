/// What an upload target does with one POST, in the order of the properties.
package struct UploadBehaviour: Sendable {
    package enum Ending: Sendable {
        case answer(Answer)
        /// Closes the connection in an orderly way, without an answer.
        case close
        /// Resets the connection.
        case reset
        /// Neither answers nor closes until the peer does.
        case silence
    }

    /// Sent before the body is read, to the byte: interim heads, as many as wanted.
    package var interim = ""
    /// How much of the body is read, at most; nil for all of it.
    package var reads: Int64?
    /// The most bytes of the body taken a second.
    package var bytesPerSecond: Int64?
    /// Whether the upload counts when its form was read to the end. Without an answer it then is one the client cannot
    /// know of.
    package var isKept: Bool
    /// From the end of the reading to the ending.
    package var delay = Duration.zero
    package var ending: Ending

    package init(_ ending: Ending, isKept: Bool) {
        self.ending = ending
        self.isKept = isKept
    }

    /// 201 with `{"ok":true}`.
    package static let accept = UploadBehaviour(
        .answer(
            Answer(status: 201, headers: [("Content-Type", "application/json")], body: .text("{\"ok\":true}"))),
        isKept: true)

    /// Reads the whole body, keeps nothing, and gives that answer.
    package static func refuse(_ answer: Answer) -> UploadBehaviour { UploadBehaviour(.answer(answer), isKept: false) }

    /// Reads the whole body, keeps nothing, and answers with that status and no body.
    package static func refuse(_ status: Int, headers: [(String, String)] = []) -> UploadBehaviour {
        refuse(Answer(status: status, headers: headers))
    }

    /// Keeps the upload and closes the connection without a word.
    package static let loseAnswer = UploadBehaviour(.close, isKept: true)

    /// Resets the connection after so many bytes of the body.
    package static func reset(afterBody count: Int64) -> UploadBehaviour {
        UploadBehaviour(.reset, isKept: false).reading(count)
    }

    /// The same, reading at most so much of the body. An answer then comes early, and the connection is closed.
    package func reading(_ count: Int64) -> UploadBehaviour { changed { $0.reads = count } }
    /// The same, taking the body at that rate.
    package func at(bytesPerSecond rate: Int64) -> UploadBehaviour { changed { $0.bytesPerSecond = rate } }
    /// The same, after a pause.
    package func after(_ delay: Duration) -> UploadBehaviour { changed { $0.delay = delay } }
    /// The same with interim heads.
    package func interim(_ text: String) -> UploadBehaviour { changed { $0.interim = text } }

    private func changed(_ change: (inout UploadBehaviour) -> Void) -> UploadBehaviour {
        var behaviour = self
        change(&behaviour)
        return behaviour
    }
}
