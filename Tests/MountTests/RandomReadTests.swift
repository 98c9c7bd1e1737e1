import LoopbackServer
import MountHarness
import Testing

/// Seeded random reads by several threads, each compared with the formula of the file's bytes.
struct RandomReadTests {
    private static let script = """
        import os, random, sys, threading
        path, seed, size = sys.argv[1] + "/f.bin", int(sys.argv[2]), int(sys.argv[3])
        whole = bytes(i % 251 for i in range(251)) * (size // 251 + 2)
        bad = []
        def work(number):
            r = random.Random(seed * 100 + number)
            fd = os.open(path, os.O_RDONLY)
            position = 0
            for _ in range(120):
                kind = r.random()
                if kind < 0.4: position = r.randrange(size + 1000)
                elif kind < 0.5: position = max(0, position - r.randrange(2000000))
                length = r.choice([1, 100, 4096, 70000, 300000])
                data = os.pread(fd, length, position)
                if data != whole[position:min(position + length, size)]: bad.append((number, position, length, len(data)))
                position += len(data)
            os.close(fd)
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        print("ok" if not bad else bad[:5])
        """

    private func read(
        _ file: FileResource, size: Int64, seed: Int, options: String = "", responder: Responder? = nil
    ) async throws {
        let server = try LoopbackServer(listing: "f.bin")
        server.on("/f.bin", responder ?? file.responder)
        try await withMount(server, options: options) { mount async throws in
            let read = try await mount.python(Self.script, "\(seed)", "\(size)", limit: .seconds(180))
            #expect(read.text == "ok\n", "seed \(seed): \(read)")
        }
    }

    @Test(arguments: 1...3)
    func bytesAreRightForAnyReader(seed: Int) async throws {
        try await read(.pattern(20_000_001), size: 20_000_001, seed: seed)
    }

    @Test func bytesAreRightWithLittleMemory() async throws {
        try await read(.pattern(40_000_001), size: 40_000_001, seed: 4, options: "memory=8M")
    }

    @Test func bytesAreRightOverABadNetwork() async throws {
        let size: Int64 = 10_000_001
        let file = FileResource.pattern(size)
        try await read(file, size: size, seed: 5) { request, _ in
            let answer = file.answer(to: request)
            // Every third answer breaks off somewhere, in one of two ways.
            return switch request.count % 6 {
            case 1: answer.with(.cut(afterBody: Int64(request.count * 7919 % 100_000)))
            case 4: answer.with(.resetAfter(Int64(request.count * 104_729 % 200_000)))
            default: answer
            }
        }
    }

    @Test func bytesAreRightWithoutRanges() async throws {
        try await read(FileResource(.pattern(0..<6_000_001), ranges: .ignored), size: 6_000_001, seed: 6)
    }
}
