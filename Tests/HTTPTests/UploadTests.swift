import HTTP
import LoopbackServer
import Platform
import Testing

extension HTTPClient {
    /// Sends and waits for the end.
    func run(_ form: FormUpload, _ observer: RecordingObserver = RecordingObserver()) async -> RecordingObserver.Record
    {
        _ = upload(form, observer)
        return await observer.finished()
    }
}

/// Form uploads that go well.
@Suite(.bounded) struct UploadTests {
    @Test func aFormIsSentAndAnswered() async throws {
        try await withClient { client, server async throws in
            let body = Lock<[UInt8]>([])
            server.on("/up", method: "POST") { request, _ in
                body.withLock { $0 = request.body }
                return Answer(status: 201, body: .text("stored"))
            }
            var form = try TemporaryContent(Array("hello".utf8)).form(to: server.url + "/up")
            form.fields = [("k", "v")]
            let record = await client.run(form)
            #expect(record.status == 201 && record.text == "stored" && record.finishes == 1)
            #expect(String(decoding: body.withLock { $0 }, as: UTF8.self).contains("\r\n\r\nhello\r\n--"))
        }
    }
}
