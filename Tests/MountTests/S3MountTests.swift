import LoopbackServer
import MountHarness
import Testing

/// Buckets of S3 servers.
struct S3MountTests {
    private static func result(_ prefix: String, keys: [(String, Int)], prefixes: [String] = [], next: String? = nil)
        -> Answer
    {
        let contents = keys.map {
            "<Contents><Key>\(prefix)\($0.0)</Key><LastModified>2026-01-02T03:39:00.000Z</LastModified><Size>\($0.1)</Size></Contents>"
        }
        let common = prefixes.map { "<CommonPrefixes><Prefix>\(prefix)\($0)</Prefix></CommonPrefixes>" }
        let rest = next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? ""
        return Answer(
            headers: [("Content-Type", "application/xml"), ("Server", "AmazonS3")],
            body: .text(
                "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>\(next != nil)</IsTruncated>"
                    + "<EncodingType>url</EncodingType>\(rest)\(contents.joined())\(common.joined())</ListBucketResult>"
            ))
    }

    private static let query = "?delimiter=%2F&encoding-type=url&list-type=2&prefix="

    private static func serve(_ server: LoopbackServer) {
        server.on("/bucket/\(query)", result("", keys: [("a+b.txt", 4)], prefixes: ["dir/"]))
        server.on(
            "/bucket/\(query)dir%2F", result("dir/", keys: [("1.txt", 2)], next: "t/1"))
        server.on(
            "/bucket/?continuation-token=t%2F1&delimiter=%2F&encoding-type=url&list-type=2&prefix=dir%2F",
            result("dir/", keys: [("2.txt", 2)]))
        server.text("/bucket/a%20b.txt", "a b\n")
        server.text("/bucket/dir/1.txt", "1\n")
        server.text("/bucket/dir/2.txt", "2\n")
    }

    private static func check(_ mount: SkyfsMount) async throws {
        #expect(try await mount.list() == ["a b.txt", "dir"])
        #expect(try await mount.stat("a b.txt", "%F %s %Y") == "regular file 4 1767325140")
        #expect(try await mount.text("a b.txt") == "a b\n")
        #expect(try await mount.list("dir") == ["1.txt", "2.txt"])
        #expect(try await mount.text(of: #"cat "$M"/dir/*"#) == "1\n2\n")
    }

    @Test func publicBucketIsRecognisedByItsAnswer() async throws {
        let server = try LoopbackServer()
        Self.serve(server)
        server.on("/bucket/", Self.result("", keys: [("dir/1.txt", 2)]))
        try await withMount(["\(server.url)/bucket/"]) { mount async throws in
            try await Self.check(mount)
            #expect(!server.log.contains { $0.header("authorization") != nil })
        }
    }

    @Test func directoryOfABucketIsAskedForAsOneWhereTheSourceSaysSo() async throws {
        let server = try LoopbackServer()
        Self.serve(server)
        try await withMount(["s3+\(server.url)/bucket/dir"]) { mount async throws in
            #expect(try await mount.list() == ["1.txt", "2.txt"])
            #expect(try await mount.text("2.txt") == "2\n")
        }
    }

    @Test func keysSignEveryRequestToTheirServerAlone() async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        Self.serve(server)
        other.text("/moved.txt", "a b\n")
        server.on("/bucket/a%20b.txt", Answer(status: 302, headers: [("Location", "\(other.url)/moved.txt")]))
        try await withMount(
            ["s3+\(server.url)/bucket/"],
            prepare: { scratch in
                _ = try scratch.directory(".aws")
                try scratch.file(
                    ".aws/credentials",
                    "[default]\naws_access_key_id = AKID\naws_secret_access_key = s3cr3t\naws_session_token = tok\n")
                try scratch.file(".aws/config", "[default]\nregion = eu-north-1\n")
            },
            { mount async throws in
                try await Self.check(mount)
                for request in server.log {
                    let signature = request.header("authorization") ?? ""
                    #expect(signature.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/"), "\(request)")
                    #expect(signature.contains("/eu-north-1/s3/aws4_request"))
                    #expect(
                        request.header("x-amz-content-sha256") != nil && request.header("x-amz-security-token") == "tok"
                    )
                }
                #expect(!other.log.isEmpty)
                for request in other.log {
                    #expect(request.header("authorization") == nil && request.header("x-amz-security-token") == nil)
                }
            })
    }
}
