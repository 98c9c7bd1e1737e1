import Foundation
import Glibc
import MountHarness
import Testing

/// Signatures as Amazon's own library computes them.
struct S3SignatureTests {
    /// A bucket that answers only what botocore signs in the same way.
    private static let server = """
        import http.server, sys, urllib.parse
        from botocore.auth import S3SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials
        keys = ["plain.txt", "a b+c.txt", "100%.txt", "报告 & 1.txt", "(x)*'!.txt", "~t=1,2;3:4@5.txt"]

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def is_signed(self):
                given = self.headers.get("Authorization", "")
                names = given.partition("SignedHeaders=")[2].partition(",")[0].split(";")
                if "host" not in names or "x-amz-content-sha256" not in names: return False
                url = f"http://{self.headers['Host']}{self.path}"
                request = AWSRequest(self.command, url, headers={name: self.headers[name] for name in names})
                request.context["timestamp"] = self.headers["X-Amz-Date"]
                auth = S3SigV4Auth(Credentials("AKID", "se/cr+et", "tok"), "s3", "eu-north-1")
                text = auth.string_to_sign(request, auth.canonical_request(request))
                return given.endswith("Signature=" + auth.signature(text, request))
            def do_GET(self):
                path, _, query = self.path.partition("?")
                if not self.is_signed(): status, body = 403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>"
                elif query:
                    entries = [f"<Contents><Key>{urllib.parse.quote('d/' + key)}</Key><Size>6</Size></Contents>" for key in keys]
                    entries = "".join(entries) if "prefix=d" in query else "<CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes>"
                    status, body = 200, f"<ListBucketResult><EncodingType>url</EncodingType>{entries}</ListBucketResult>".encode()
                else: status, body = 200, b"signed"
                self.send_response(status)
                self.send_header("Content-Type", "application/xml" if query else "text/plain")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
        server.serve_forever()

        """

    @Test func signaturesAreThoseOfBotocore() async throws {
        let scratch = try Scratch()
        let port = try LoopbackPort.free()
        let process = try ChildProcess(
            [try InteropPython.path, try scratch.file("bucket.py", Self.server), "\(port)"],
            environment: Command.environment)
        #expect(await eventually(within: .seconds(60)) { process.exit != nil || LoopbackPort.answers(port) })
        var failure: (any Error)?
        do {
            try await withMount(
                ["s3+http://127.0.0.1:\(port)/bucket/"],
                prepare: { home in
                    _ = try home.directory(".aws")
                    try home.file(
                        ".aws/credentials",
                        "[default]\naws_access_key_id=AKID\naws_secret_access_key=se/cr+et\naws_session_token=tok\n")
                    try home.file(".aws/config", "[default]\nregion=eu-north-1\n")
                },
                { mount async throws in
                    let read = try await mount.sh(#"cd "$M/d" && cat *"#)
                    #expect(read.text == String(repeating: "signed", count: 6), "\(read)")
                })
        } catch { failure = error }
        process.killGroup()
        _ = await process.wait(within: .seconds(10))
        await scratch.remove()
        if let failure { throw failure }
    }
}
