import MountHarness
import Testing

/// A tree of awkward names, listed by the servers of the world.
struct ListingServerTests {
    /// Every sign that means something in a URL, in HTML, in XML, in a shell or in a query, at each end and in the middle of a
    /// name; and scripts, emoji and lengths.
    private static let names: [String] = {
        var names = [
            "plain.txt", "UPPER.TXT", "no-extension", "报告 2026.txt", "日本語", "ひらがな.txt", "Ελλάδα", "русский.txt",
            "עברית",
            "العربية.txt", "한국어", "ไทย", "😀.txt", "👨‍👩‍👧 family.png", "cafe\u{301}.txt", "naïve façade.txt", ".hidden",
            "..two-dots",
            "...three", "trailing.", "-dash", "--help", "a  b", "%2F.txt", "%00.txt", "%zz", "100%", "%E4%BD%A0",
            "a%20b", "&amp;",
            "&lt;b&gt;", "a&b=c&d", "?query=1", "#fragment", "a;b=c", "C:\\dir\\file", "colon:name", "http:",
            "mailto:a@b", "a=b",
            "(1)", "[1]", "{1}", "<tag>", "'single'", "\"double\"", "`back`", "$HOME", "!bang", "~tilde", "^caret",
            "|pipe", "*star",
            "comma,", "+plus+", "Name", "Parent Directory", "Size", "index of", "Last modified", "a.tar.gz",
            "file.html", "x.php",
            String(repeating: "x", count: 255), String(repeating: "长", count: 85), String(repeating: "é", count: 127),
        ]
        for sign in " !\"#$%&'()*+,-.:;<=>?@[\\]^_`{|}~" {
            names += [
                "in\(sign)side", "at end\(sign)x", "\(sign)begin", "two\(sign)\(sign)of", "\(sign)1\(sign).txt",
                "汉\(sign)字",
            ]
        }
        return Array(Set(names.filter { ![".", ".."].contains($0) })).sorted()
    }()

    /// Some servers leave out what begins with a dot.
    private static func isServed(_ name: String, by kind: ListingServer.Kind) -> Bool {
        let isHidden = name.hasPrefix(".")
        switch kind {
        case .nginx, .nginxJSON, .lighttpd, .copyparty: return !isHidden
        default: return true
        }
    }

    @Test(arguments: ListingServer.Kind.allCases)
    func everyAwkwardNameIsListedAndReadable(kind: ListingServer.Kind) async throws {
        let scratch = try Scratch()
        var failure: (any Error)?
        do {
            let root = try scratch.directory("root")
            _ = try scratch.directory("root/sub dir #1 %20 &")
            for (number, name) in Self.names.enumerated() {
                let text = "file \(number)\n" + String(repeating: "x", count: number * 13) + "\n"
                try scratch.file("root/\(name)", text)
                if number % 3 == 0 { try scratch.file("root/sub dir #1 %20 &/\(name)", text) }
            }
            let server = try await ListingServer.start(kind, root: root, in: scratch)
            do {
                try await withMount(
                    [server.source],
                    prepare: { scratch in
                        _ = try scratch.directory(".aws")
                        try scratch.file(
                            ".aws/credentials",
                            "[default]\naws_access_key_id = AKID\naws_secret_access_key = secret\n")
                    },
                    { mount async throws in try await Self.compare(mount, root, kind) })
            } catch { failure = error }
            await server.stop()
        } catch { failure = error }
        await scratch.remove()
        if let failure { throw failure }
    }

    private static func compare(_ mount: SkyfsMount, _ root: String, _ kind: ListingServer.Kind) async throws {
        let script = #"find . -type f -printf '%p %s ' -exec sh -c 'sha256sum < "$0" | cut -c1-16' {} \; | sort"#
        let seen = try await mount.sh("cd \"$M\" && \(script)", limit: .seconds(300))
        let served = try await Command.run(["bash", "-c", script], directory: root, limit: .seconds(120))
        let expected = served.lines.filter { line in
            let name = line.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
            return isServed(name, by: kind)
        }
        let (missing, extra) = (
            Set(expected).subtracting(seen.lines).sorted(), Set(seen.lines).subtracting(expected).sorted()
        )
        #expect(missing.isEmpty, "not as served: \(missing.joined(separator: "\n"))")
        #expect(extra.isEmpty, "not served so: \(extra.joined(separator: "\n"))")
        #expect(seen.lines.count == expected.count && expected.count > 250, "\(seen.errors.prefix(2000))")
    }
}
