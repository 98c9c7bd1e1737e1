import Foundation
import MountHarness
import Testing

/// The same tree of awkward names behind every server that lists files.
struct AwkwardNameTests {
    @Test func treeHas300Files() { #expect(AwkwardTree().files.count == 300) }

    /// Whatever the server serves at the right path is in the mount once, with its name, size and bytes.
    @Test(arguments: WebServer.Kind.allCases)
    func everyFileServedIsListedOnceWithItsSizeAndBytes(kind: WebServer.Kind) async throws {
        let tree = AwkwardTree()
        try await withWebServer(
            kind, fill: { try tree.write(below: "root", in: $0, where: { !kind.breaks(at: $0) }) },
            { server, root in
                let served = try await Self.served(tree, by: server)
                let refused = Set(tree.files.keys).subtracting(served)
                #expect(Self.words(refused) == kind.unserved.sorted(), "served are \(served.count)")
                let hidden = served.filter(kind.hides)
                let states = try await withMount([server.source], environment: server.environment) { mount in
                    try await Self.states(mount, root)
                }
                for path in served.subtracting(hidden) where states[path] != ["right"] {
                    Issue.record("\(Self.words([path])) \(states[path] ?? ["is not listed"])")
                }
                #expect(Self.words(hidden.intersection(states.keys)).isEmpty)
                for (path, states) in states where states.count > 1 {
                    Issue.record("\(Self.words([path])) is listed \(states.count) times")
                }
                #expect(Self.words(Set(states.keys).subtracting(tree.files.keys)) == kind.inventions.sorted())
            })
    }

    @Test func webDAVServerWithoutPagesIsRecognised() async throws {
        try await withWebServer(
            .apacheWebDAV, fill: { try $0.file("root/a b#%.txt", "text\n") },
            { server, _ in
                try await withMount(["\(server.url)/"]) { mount async throws in
                    #expect(try await mount.list() == ["a b#%.txt"])
                    #expect(try await mount.text("a b#%.txt") == "text\n")
                }
            })
    }

    /// More keys than the server gives at a time: continuation tokens are signed too.
    @Test func bucketOfMoreThanOnePageIsListedWhole() async throws {
        try await withWebServer(
            .moto,
            fill: { scratch in
                for number in 0..<1010 { try scratch.file("root/key +\(number)%", "\(number)") }
            },
            { server, root in
                try await withMount([server.source], environment: server.environment) { mount async throws in
                    let names = try await Command.run(["ls", "-1"], directory: root)
                    #expect(try await mount.list().sorted() == names.lines.sorted() && names.lines.count == 1010)
                    #expect(try await mount.text("key +1009%") == "1009")
                }
                let place = try server.scratch.directory("mount")
                let refused = try await Command.run(
                    try SkyfsMount.arguments([server.source], at: place, options: ""),
                    environment: SkyfsMount.environment(home: server.scratch.path)
                        .merging(server.environment) { $1 }.merging(["AWS_SECRET_ACCESS_KEY": "wrong"]) { $1 })
                #expect(refused.status != 0 && refused.errors.contains("403"), "\(refused)")
            })
    }

    private static func words(_ paths: Set<[UInt8]>) -> [String] {
        paths.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    /// The files that a plain request for the encoded path gives.
    private static func served(_ tree: AwkwardTree, by server: WebServer) async throws -> Set<[UInt8]> {
        let folder = try server.scratch.directory("own")
        let paths = Array(tree.files.keys)
        let requests = paths.enumerated().map { number, path in
            "url = \"\(server.url)/\(encoded(path))\"\noutput = \"\(folder)/\(number)\"\n"
        }
        try server.scratch.file("own.conf", requests.joined())
        var arguments = [
            "curl", "-sS", "--globoff", "--path-as-is", "--parallel", "--parallel-max", "8", "-K",
            "\(server.scratch.path)/own.conf", "-w", "%{http_code} %{filename_effective}\\n",
        ]
        if let keys = server.keys, server.kind == .moto {
            // The digest of nothing.
            let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            arguments += [
                "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", "\(keys.access):\(keys.secret)",
                "-H", "x-amz-content-sha256: \(digest)",
            ]
        }
        let answers = try await Command.run(arguments)
        guard answers.lines.count == paths.count else { throw HarnessError("\(answers)") }
        return Set(
            try answers.lines.compactMap { line -> [UInt8]? in
                let words = line.split(separator: " ")
                guard words.first == "200", let number = words.last?.split(separator: "/").last.flatMap({ Int($0) })
                else { return nil }
                // An empty answer makes no file.
                let file = URL(filePath: "\(folder)/\(number)")
                let bytes = FileManager.default.fileExists(atPath: file.path) ? Array(try Data(contentsOf: file)) : []
                return bytes == tree.files[paths[number]] ? paths[number] : nil
            })
    }

    private static func encoded(_ path: [UInt8]) -> String {
        path.map { byte in
            let sign = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (sign.isLetter || sign.isNumber || "-._~/".contains(sign))
            return isPlain ? String(sign) : "%" + String(Int(byte) + 256, radix: 16, uppercase: true).suffix(2)
        }.joined()
    }

    /// What the mount has, by path: "right", or what differs from the directory served, once for each time it is listed.
    private static func states(_ mount: SkyfsMount, _ root: String) async throws -> [[UInt8]: [String]] {
        let script = """
            import os, sys
            mount, root = map(os.fsencode, sys.argv[1:3])

            def state(path):
                try:
                    with open(os.path.join(root, path), "rb") as file: right = file.read()
                    size = os.stat(os.path.join(mount, path)).st_size
                    if size != len(right): return f"has size {size} instead of {len(right)}"
                    with open(os.path.join(mount, path), "rb") as file: read = file.read()
                    return "right" if read == right else f"differs in its {len(read)} bytes"
                except OSError as error:
                    return f"fails: {error.strerror}"

            def walk(folder):
                for entry in os.scandir(os.path.join(mount, folder)):
                    path = os.path.join(folder, entry.name)
                    if entry.is_dir(): walk(path)
                    else: sys.stdout.buffer.write(path + b"\\0" + state(path).encode() + b"\\0")

            walk(b"")
            """
        let walked = try await mount.python(script, root)
        guard walked.succeeded else { throw HarnessError("\(walked)") }
        let fields = walked.output.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        var states: [[UInt8]: [String]] = [:]
        for index in stride(from: fields.startIndex, to: fields.endIndex, by: 2) {
            states[Array(fields[index]), default: []].append(String(decoding: fields[index + 1], as: UTF8.self))
        }
        return states
    }
}
