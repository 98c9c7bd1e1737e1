import Glibc
import Platform
import Testing

@testable import Fuse

/// Replies that come later than the request's own thread.
struct ParkedReplyTests {
    private let handler = StubHandler()

    /// Parks a read and gives its number and reply.
    private func park(_ kernel: KernelEnd) throws -> (unique: UInt64, parked: ParkedReply) {
        let handle = try kernel.open(.open, node: 4)
        let unique = kernel.send(.read, node: 4, KernelEnd.read(handle: handle, offset: 0, size: 100))
        return (unique, try #require(handler.parkedReply()))
    }

    private func isTaken(_ parked: ParkedReply) -> Bool {
        if parked.take() != nil { false } else { true }
    }

    @Test func oneOfManyThreadsAnswers() throws {
        let kernel = try KernelEnd(handler)
        let (unique, parked) = try park(kernel)
        let winners = Lock(0)
        let threads = try (0..<8).map { _ in
            try Thread.start(name: "racer") {
                guard let reply = parked.take() else { return }
                winners.withLock { $0 += 1 }
                reply.fail(.timedOut)
            }
        }
        for thread in threads { thread.join() }
        #expect(winners.withLock { $0 } == 1)
        let answer = try #require(kernel.receive())
        #expect(answer.unique == unique && answer.errno == ETIMEDOUT)
        #expect(isTaken(parked))
        // The next answer belongs to the next request: nothing was answered twice.
        #expect(try kernel.call(.statfs).errno == 0)
    }

    @Test func parkedRequestsDoNotHoldUpOthers() throws {
        let kernel = try KernelEnd(handler)
        let handle = try kernel.open(.open, node: 4)
        let parked = try (0..<50).map { _ in
            kernel.send(.read, node: 4, KernelEnd.read(handle: handle, offset: 0, size: 1))
            return try #require(handler.parkedReply())
        }
        #expect(try kernel.call(.lookup, MessageWriter.of { $0.put("file") }).errno == 0)
        for reply in parked { reply.take()?.empty() }
        for _ in parked { #expect(try #require(kernel.receive()).errno == 0) }
    }

    @Test func interruptAfterParkingIsHeardOnce() throws {
        let kernel = try KernelEnd(handler)
        let (unique, parked) = try park(kernel)
        for _ in 0..<2 { kernel.send(.interrupt, MessageWriter.of { $0.put(unique) }) }
        #expect(handler.waitForInterrupt())
        // The other interrupt has been handled, too, when this comes back: it found nothing to call.
        #expect(try kernel.call(.statfs).errno == 0)
        #expect(handler.record.update { $0.interrupts } == 1)
        parked.take()?.fail(.interrupted)
        let answer = try #require(kernel.receive())
        #expect(answer.unique == unique && answer.errno == EINTR)
    }

    @Test func interruptBeforeTheRequestIsHeardWhileParking() throws {
        let kernel = try KernelEnd(handler)
        let handle = try kernel.open(.open, node: 4)
        let unique: UInt64 = 1001
        kernel.send(.interrupt, MessageWriter.of { $0.put(unique) })
        kernel.send(.read, unique: unique, node: 4, KernelEnd.read(handle: handle, offset: 0, size: 1))
        let parked = try #require(handler.parkedReply())
        #expect(handler.waitForInterrupt())
        parked.take()?.fail(.interrupted)
        let answer = try #require(kernel.receive())
        #expect(answer.unique == unique && answer.errno == EINTR)
    }

    @Test(arguments: [false, true])
    func interruptFunctionMayAnswer(interruptComesFirst: Bool) throws {
        let kernel = try KernelEnd(AnsweringHandler())
        let handle = try kernel.open(.open, node: 4)
        for round in 0..<200 {
            let unique = UInt64(10_001 + 2 * round)
            let interrupt = MessageWriter.of { $0.put(unique) }
            if interruptComesFirst { kernel.send(.interrupt, interrupt) }
            kernel.send(.read, unique: unique, node: 4, KernelEnd.read(handle: handle, offset: 0, size: 1))
            if !interruptComesFirst { kernel.send(.interrupt, interrupt) }
            // EAGAIN: libfuse saw an interrupt before its request; the kernel sends it again then.
            var answer = try #require(kernel.receive())
            if answer.errno == EAGAIN, answer.unique != unique {
                kernel.send(.interrupt, interrupt)
                answer = try #require(kernel.receive())
            }
            #expect(answer.unique == unique && answer.errno == EINTR)
        }
    }

    @Test func interruptAndAnswerAtTheSameTime() throws {
        let kernel = try KernelEnd(handler)
        let handle = try kernel.open(.open, node: 4)
        for _ in 0..<300 {
            let unique = kernel.send(.read, node: 4, KernelEnd.read(handle: handle, offset: 0, size: 1))
            let parked = try #require(handler.parkedReply())
            let thread = try Thread.start(name: "answer") { parked.take()?.empty() }
            kernel.send(.interrupt, MessageWriter.of { $0.put(unique) })
            thread.join()
            let answer = try #require(kernel.receive())
            // A late interrupt stays with libfuse until the next request and is then answered EAGAIN.
            if answer.errno == EAGAIN {
                #expect(try #require(kernel.receive()).unique == unique)
            } else {
                #expect(answer.unique == unique)
            }
        }
    }

    @Test func droppedWithoutAnswerIsEIO() throws {
        let kernel = try KernelEnd(handler)
        let unique = try park(kernel).unique
        let answer = try #require(kernel.receive())
        #expect(answer.unique == unique && answer.errno == EIO)
    }

    @Test func answerAfterTheSessionGoesNowhere() throws {
        let parked = try park(try KernelEnd(handler)).parked
        // The session is gone here.
        parked.take()?.fail(.io)
        #expect(isTaken(parked))
    }

    /// - Parameter isUnmounted: the answer is stopped by the session itself, not by the connection.
    @Test(arguments: [false, true])
    func refusedAnswersAreUndone(isUnmounted: Bool) throws {
        let kernel = try KernelEnd(handler)
        let late = MessageWriter.of { $0.put("late") }
        let parked = try (0..<4).map { _ in
            kernel.send(.lookup, late)
            return try #require(handler.parkedReply())
        }
        kernel.hangUp()
        if isUnmounted { kernel.session.unmount() }
        parked[0].take()?.entry(StubHandler.entry(2))
        parked[1].take()?.opened(StubFile(handler.record), directIO: false, keepCache: true)
        parked[2].take()?.openedDirectory(StubDirectory(handler.record), cache: false)
        if let reply = parked[3].take() {
            var listing = DirectoryBuffer(size: 4096, isPlus: true)
            let entries: [(FileName, UInt64)] = [(".", 1), ("..", 1), ("file", 2), ("unasked", 0), ("folder", 3)]
            for (name, node) in entries {
                let isAdded = listing.append(name: name, entry: StubHandler.entry(node), offset: 1)
                #expect(isAdded)
            }
            reply.directory(listing)
        }
        let record = handler.record.update { $0 }
        #expect(record.forgotten == [2: 2, 3: 1])
        #expect(record.released == [2, 3])
    }

    @Test func stopEndsRunWhileReadsAreParked() throws {
        let kernel = try KernelEnd(handler)
        let parked = try park(kernel).parked
        for _ in 0..<3 { kernel.session.stop() }
        withExtendedLifetime(parked) {}
    }
}

/// Its open files answer every interrupt with EINTR from inside the interrupt function.
private final class AnsweringHandler: Handler {
    private final class File: OpenFile {
        func read(offset: Int64, size: Int, reply: consuming Reply) {
            // Registered with libfuse, so it lives on without being kept here... until the test's interrupt.
            let parked = ParkedReply.park(reply) { $0.take()?.fail(.interrupted) }
            kept.withLock { $0.append(parked) }
        }
        func release() {}
        private let kept = Lock<[ParkedReply]>([])
    }

    func open(node: NodeID, flags: Int32, reply: consuming Reply) {
        reply.opened(File(), directIO: true, keepCache: false)
    }
    func lookup(parent: NodeID, name: FileName, reply: consuming Reply) { reply.fail(.noEntry) }
    func forget(node: NodeID, count: UInt64) {}
    func attributes(node: NodeID, reply: consuming Reply) { reply.fail(.noEntry) }
    func openDirectory(node: NodeID, reply: consuming Reply) { reply.fail(.noEntry) }
    func statistics(node: NodeID, reply: consuming Reply) { reply.fail(.noEntry) }
    func extendedAttribute(node: NodeID, name: String, room: Int, reply: consuming Reply) { reply.fail(.noData) }
    func extendedAttributeNames(node: NodeID, room: Int, reply: consuming Reply) { reply.fail(.noData) }
}
