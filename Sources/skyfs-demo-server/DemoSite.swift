import LoopbackServer
import Platform

/// The sample data of the demo, the page that tells how much of it was asked for, and a place for uploads.
enum DemoSite {
    static func install(on server: LoopbackServer) {
        let root = tree
        let airline = DomesticAirlineService()
        server.on("*") { request, _ in
            if let answer = airline.answer(to: request) { return answer }
            if request.path.hasPrefix(patternPrefix) { return pattern(request) }
            return root.answer(to: request)
        }
        let uploads = UploadTarget(keeping: 1024)
        uploads.install(on: server)
        server.on("/.uploads", method: "GET") { _, _ in
            Answer(headers: [("Content-Type", "application/json")], body: .text(UploadList.text(uploads.uploads)))
        }
        // What asking for the numbers itself costs is left out of them.
        let ownBytes = Lock(Int64(0))
        server.on("/.stats", method: "GET") { [weak server] request, _ in
            guard let totals = server?.totals else { return Answer(status: 503) }
            let body = ownBytes.withLock { ownBytes in
                let requests = totals.requests - request.count - 1
                let body = "{\"requests\":\(requests),\"bytes\":\(totals.bytes - ownBytes)}\n"
                ownBytes += Int64(body.utf8.count)
                return body
            }
            return Answer(headers: [("Content-Type", "application/json")], body: .text(body))
        }
    }

    private static let patternPrefix = "/.pattern/"

    /// A file of any size for benchmarks.
    private static func pattern(_ request: ServerRequest) -> Answer {
        guard let size = Int64(request.path.dropFirst(patternPrefix.count)), size >= 0 else {
            return Answer(status: 404)
        }
        return FileResource(.pattern(0..<size), etag: "\"pattern-\(size)\"").answer(to: request)
    }

    private static var tree: DemoNode {
        .directory(
            style: .nginx,
            [
                "README.txt": text(readme),
                "big.bin": pattern(64 << 20),
                "pictures": .directory(style: .nginx, pictures),
                "日本 中文": .directory(style: .nginx, awkward),
                "mirror": .directory(
                    style: .apacheFancy,
                    [
                        "skyfs-demo-1.0.tar.gz": pattern(3_565_158),
                        "skyfs-demo-1.1.tar.gz": pattern(12_582_913),
                        "SHA256SUMS": pattern(972),
                        "a-file-whose-name-is-cut-in-the-page.txt": text("The page shows only the start.\n"),
                        "old": .directory(style: .apacheFancy, ["skyfs-demo-0.9.tar.gz": pattern(1_048_576)]),
                    ]),
            ])
    }

    private static let readme = """
        This directory is served over HTTP by a program on this machine.

        big.bin       64 MiB; only the parts you read are fetched: try  tail -c 100 big.bin | od -c
        pictures/     a few small files; copy them with  cp -r pictures /tmp
        日本 中文/    names with signs that mean something in a URL
        mirror/       a page with rounded sizes; stat shows the exact ones

        """

    private static var pictures: [FileName: DemoNode] {
        var files: [FileName: DemoNode] = [:]
        for (name, colour) in [("red", 2), ("green", 1), ("blue", 0)] {
            files[FileName("\(name).bmp")] = .file(
                FileResource(
                    .bytes(GradientImage.bitmap(side: 64, channel: colour)), etag: "\"picture-\(name)\"",
                    contentType: "image/bmp"))
        }
        return files
    }

    private static var awkward: [FileName: DemoNode] {
        let names = [
            "東京 タワー.txt", "上海—北京.txt", "100% sure.txt", "%41 is not A.txt", "a#b?c=d&e.txt", "<tag> \"quoted\".txt",
            "it's + plus; semicolon.txt", "Größe: 3 €.txt", "..two dots.txt",
        ]
        return Dictionary(uniqueKeysWithValues: names.map { (FileName($0), text("This file is called \($0)\n")) })
    }

    private static func text(_ text: String) -> DemoNode {
        .file(
            FileResource(
                .text(text), etag: "\"text-\(text.utf8.count)\"", contentType: "text/plain; charset=utf-8"))
    }

    private static func pattern(_ size: Int64) -> DemoNode {
        .file(FileResource(.pattern(0..<size), etag: "\"pattern-\(size)\""))
    }
}
