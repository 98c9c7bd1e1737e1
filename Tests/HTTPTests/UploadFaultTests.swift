import Glibc
import HTTP
import Platform
import Testing

/// Uploads that do not go well, and servers that answer otherwise than one would like.
@Suite(.bounded) struct UploadFaultTests {
    private static func large(_ size: Int64 = 100 << 20) throws -> TemporaryContent {
        let content = try TemporaryContent([])
        try content.truncate(to: size)
        return content
    }

    // MARK: Answers

    @Test(arguments: [200, 204, 400, 401, 403, 411, 413, 417, 429, 500, 503])
    func everyStatusIsAnAnswer(status: Int) async throws {
        let received = Received<RawConnection.Form>()
        try await withRawServer { connection in
            connection.serveForms { form in
                received.add(form)
                connection.write("HTTP/1.1 \(status) X\r\nRetry-After: 7\r\n")
                connection.write(status == 204 ? "\r\n" : "Content-Length: 4\r\n\r\nbody")
            }
        } body: { client, server async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            #expect(record.status == status && record.text == (status == 204 ? "" : "body"))
            #expect(record.response?.head.retryAfter == .seconds(7))
        }
        #expect(received.all.count == 1)
        #expect(received.all.allSatisfy { !$0.head.lowercased().contains("expect") })
    }

    @Test func aLongAnswerIsCut() async throws {
        try await withRawServer { connection in
            connection.serveForms { _ in connection.answer(200, String(repeating: "x", count: 1 << 20)) }
        } body: { client, server async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            #expect(record.status == 200 && record.text == String(repeating: "x", count: 64 << 10))
        }
    }

    @Test func interimHeadsAreSkipped() async throws {
        try await withRawServer { connection in
            guard let head = connection.readHead() else { return }
            connection.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
            let length = RawConnection.Form(head: head, body: []).header("Content-Length").flatMap { Int($0) } ?? 0
            guard connection.skip(length) == length else { return }
            connection.write("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
            connection.answer(201, "stored")
            connection.waitForClose()
        } body: { client, server async throws in
            let record = await client.run(try Self.large(10 << 20).form(to: server.url))
            #expect(record.status == 201 && record.text == "stored")
        }
    }

    /// As nginx and Tomcat refuse what is too large.
    @Test(arguments: ["close", "reset", "keep"])
    func aRefusalWhileTheFormGoesOut(end: String) async throws {
        let skipped = Received<Int>()
        try await withRawServer { connection in
            guard connection.readHead() != nil else { return }
            if connection.number > 0 {
                connection.answer(413, "again")
                return connection.waitForClose()
            }
            connection.waitUntilFull()
            connection.answer(413, headers: end == "keep" ? "" : "Connection: close\r\n", "too large")
            if end == "reset" { return connection.reset() }
            skipped.add(connection.skip(.max))
        } body: { client, server async throws in
            let record = await client.run(try Self.large().form(to: server.url))
            #expect(record.status == 413 && record.text == "too large" && record.finishes == 1)
            #expect(await eventually { end == "reset" || !skipped.all.isEmpty })
            #expect(skipped.all.allSatisfy { $0 < 100 << 20 })
            // Its connection is no longer in step.
            #expect(await client.run(try TemporaryContent([1]).form(to: server.url)).text == "again")
            #expect(server.connectionCount == 2)
        }
    }

    @Test func aRefusalWhoseBodyIsCutIsBelieved() async throws {
        try await withRawServer { connection in
            guard connection.readHead() != nil else { return }
            connection.waitUntilFull()
            connection.write("HTTP/1.1 413 X\r\nContent-Length: 1000\r\n\r\ntoo la")
            connection.reset()
        } body: { client, server async throws in
            let record = await client.run(try Self.large().form(to: server.url))
            #expect(record.status == 413 && record.text == "too la")
        }
    }

    /// What was not sent, nobody can have stored.
    @Test func aSuccessBeforeTheFormIsSentIsNone() async throws {
        try await withRawServer { connection in
            guard connection.readHead() != nil else { return }
            connection.waitUntilFull()
            connection.answer(200, headers: "Connection: close\r\n", "fine")
            connection.waitForClose()
        } body: { client, server async throws in
            let record = await client.run(try Self.large().form(to: server.url))
            guard case .failed(let error, let isFullySent) = record.result else {
                Issue.record("\(record)")
                return
            }
            #expect(error.isTransient && !isFullySent)
        }
    }

    @Test func anEarlySuccessOfAServerThatReadsOnCounts() async throws {
        try await withRawServer { connection in
            guard let head = connection.readHead() else { return }
            connection.waitUntilFull()
            connection.answer(200, "fine")
            let length = RawConnection.Form(head: head, body: []).header("Content-Length").flatMap { Int($0) } ?? 0
            _ = connection.skip(length)
            connection.waitForClose()
        } body: { client, server async throws in
            let record = await client.run(try Self.large().form(to: server.url))
            #expect(record.status == 200 && record.text == "fine")
            #expect(record.progress.last.map { $0.sent == $0.total } == true)
        }
    }

    @Test func anUnbelievableAnswerIsNone() async throws {
        try await withRawServer { connection in
            connection.serveForms { _ in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx")
            }
        } body: { client, server async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            #expect(record.error?.isBadHead == true && record.isFullySent == true)
        }
    }

    // MARK: Ends

    /// The form may have arrived: it is never sent again from here, also not over a connection that was used before (which
    /// the second form is unless the machine stood still for seconds).
    @Test(arguments: [0, 1], [0, 300_000] as [Int64])
    func anAnswerThatIsLost(formsBefore: Int, size: Int64) async throws {
        let received = Received<RawConnection.Form>()
        try await withRawServer { connection in
            while let form = connection.readForm() {
                received.add(form)
                if received.all.count > formsBefore { return }
                connection.answer(200)
            }
        } body: { client, server async throws in
            let content = try TemporaryContent(pattern(0..<size))
            for _ in 0..<formsBefore { #expect(await client.run(try content.form(to: server.url)).status == 200) }
            let record = await client.run(try content.form(to: server.url))
            guard case .noAnswer = record.error else {
                Issue.record("\(record)")
                return
            }
            #expect(record.isFullySent == true && record.finishes == 1)
        }
        #expect(received.all.count == formsBefore + 1)
    }

    @Test(arguments: ["close", "reset"])
    func anEndInTheFormIsTold(end: String) async throws {
        try await withRawServer { connection in
            guard connection.readHead() != nil, connection.skip(1 << 20) == 1 << 20 else { return }
            if end == "reset" { connection.reset() }
        } body: { client, server async throws in
            let record = await client.run(try Self.large().form(to: server.url))
            guard case .noAnswer = record.error else {
                Issue.record("\(record)")
                return
            }
            #expect(record.isFullySent == false)
            #expect(server.connectionCount == 1)
        }
    }

    /// The end of an idle connection is no fault of the next form.
    @Test func aConnectionThatWasClosedIsNotUsed() async throws {
        let closed = Received<Int>()
        let received = Received<Int>()
        try await withRawServer { connection in
            guard connection.readForm() != nil else { return }
            received.add(connection.number)
            connection.answer(200)
            connection.finish()
            closed.add(connection.number)
        } body: { client, server async throws in
            let content = try TemporaryContent([1])
            for number in 0..<5 {
                #expect(await client.run(try content.form(to: server.url)).status == 200)
                #expect(await eventually { closed.all.count == number + 1 })
            }
        }
        #expect(received.all == [0, 1, 2, 3, 4])
    }

    @Test func aSuccessWhoseBodyIsCutIsNone() async throws {
        try await withRawServer { connection in
            connection.serveForms { _ in
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"erro")
                connection.finish()
            }
        } body: { client, server async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            #expect(record.error == .cut(received: 6) && record.isFullySent == true)
        }
    }

    @Test func nobodyListens() async throws {
        let server = try RawServer { _ in }
        server.stop()
        try await withRawServer { _ in
        } body: { client, _ async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            guard case .notConnected = record.error else {
                Issue.record("\(record)")
                return
            }
            #expect(record.isFullySent == false)
        }
    }

    @Test func cancellingInTheMiddle() async throws {
        let isGone = Received<Bool>()
        try await withRawServer { connection in
            guard connection.readHead() != nil else { return }
            connection.waitUntilFull()
            connection.waitForClose()
            isGone.add(true)
        } body: { client, server async throws in
            let observer = RecordingObserver()
            let id = client.upload(try Self.large(10 << 30).form(to: server.url), observer)
            #expect(await eventually { !observer.record.progress.isEmpty })
            client.cancel(id)
            let record = await observer.finished()
            #expect(record.error == .cancelled && record.isFullySent == false)
            #expect(await eventually { !isGone.all.isEmpty })
            #expect(observer.record.finishes == 1 && client.statistics().running == 0)
        }
    }

    // MARK: Time

    @Test func aServerThatTakesNothingStalls() async throws {
        try await withRawServer { connection in
            guard connection.readHead() != nil else { return }
            connection.waitUntilFull()
            while !connection.isClosedByPeer { usleep(10_000) }
        } configure: { configuration, _ in
            configuration.stallTimeout = .seconds(1)
        } body: { client, server async throws in
            let record = await client.run(try Self.large().form(to: server.url))
            #expect(record.error == .stalled && record.isFullySent == false)
        }
    }

    /// It may have much to do with the file; `stall` does not count then.
    @Test func aServerThatTakesItsTimeToAnswerIsWaitedFor() async throws {
        try await withRawServer { connection in
            connection.serveForms { _ in
                usleep(2_500_000)
                connection.answer(200)
            }
        } configure: { configuration, _ in
            configuration.stallTimeout = .seconds(1)
        } body: { client, server async throws in
            #expect(await client.run(try TemporaryContent([1]).form(to: server.url)).status == 200)
        }
    }

    @Test func aServerThatNeverAnswersStalls() async throws {
        try await withRawServer { connection in
            guard connection.readForm() != nil else { return }
            connection.write("HTTP/1.1 102 Processing\r\n\r\n")
            connection.waitForClose()
        } configure: { configuration, _ in
            configuration.answerTimeout = .seconds(1)
        } body: { client, server async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            #expect(record.error == .stalled && record.isFullySent == true)
        }
    }

    @Test(arguments: [200, 500])
    func anAnswerThatDripsEnds(status: Int) async throws {
        try await withRawServer { connection in
            guard connection.readForm() != nil else { return }
            connection.write("HTTP/1.1 \(status) X\r\nContent-Length: 100000\r\n\r\n")
            while connection.write(".") { usleep(50_000) }
        } configure: { configuration, _ in
            configuration.answerTimeout = .seconds(1)
        } body: { client, server async throws in
            let record = await client.run(try TemporaryContent([1]).form(to: server.url))
            if status == 500 {
                #expect(record.status == 500 && record.text?.hasPrefix(".") == true)
            } else {
                #expect(record.error == .timedOut && record.isFullySent == true)
            }
        }
    }

    // MARK: Files

    @Test func aFileThatIsTooShortIsNotSent() async throws {
        let bodies = Received<[UInt8]?>()
        try await withRawServer { connection in
            guard let form = connection.readHead() else { return }
            let length = RawConnection.Form(head: form, body: []).header("Content-Length").flatMap { Int($0) } ?? 0
            bodies.add(connection.readBody(length))
        } body: { client, server async throws in
            let form = try TemporaryContent(Array("hello".utf8)).form(to: server.url, size: 6)
            let record = await client.run(form)
            #expect(record.error == .other("the file changed while it was sent") && record.isFullySent == false)
            #expect(await eventually { bodies.all.count == 1 })
        }
        #expect(bodies.all == [nil])
    }

    @Test func aFileThatShrinksMeanwhile() async throws {
        let isFull = Received<Bool>()
        let goesOn = Received<Bool>()
        try await withRawServer { connection in
            guard connection.readHead() != nil else { return }
            connection.waitUntilFull()
            isFull.add(true)
            while goesOn.all.isEmpty, !connection.isClosedByPeer { usleep(10_000) }
            connection.waitForClose()
        } body: { client, server async throws in
            let content = try Self.large()
            let observer = RecordingObserver()
            _ = client.upload(try content.form(to: server.url), observer)
            #expect(await eventually { !isFull.all.isEmpty })
            try content.truncate(to: 1000)
            goesOn.add(true)
            let record = await observer.finished()
            #expect(record.error == .other("the file changed while it was sent") && record.isFullySent == false)
        }
    }

    @Test func aFileThatCannotBeRead() async throws {
        let descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let content = try FileContent(duplicating: descriptor, size: 5)
        close(descriptor)
        try await withRawServer {
            $0.waitForClose()
        } body: { client, server async throws in
            let url = try HTTPURL.parse(server.url).url
            let form = FormUpload(url: url, fileField: "f", fileName: "n", mediaType: "a/b", content: content)
            let record = await client.run(form)
            #expect(record.error == .other("the file cannot be read: \(Errno.badFileDescriptor)"))
        }
        #expect(throws: Errno.badFileDescriptor) { try FileContent(duplicating: -1, size: 5) }
    }
}
