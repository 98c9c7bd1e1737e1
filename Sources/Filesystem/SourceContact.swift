import Fuse
import HTTP
import Listings
import Platform
import Segments

/// What a source's first answer showed it to be.
enum SourceContent: Sendable {
    case directory(Listing, base: HTTPURL, freshness: Duration?)
    case file(name: FileName, FileVersion, modified: Int64?)
}

extension RemoteFilesystem {
    /// Asks every source what it is, all at once, and builds the root from the answers. Blocks the calling thread.
    /// - Throws: the first source's error, in the order they were given.
    func contactSources() throws(SourceError) {
        let answers = Condition<[Int: Result<SourceContent, SourceError>]>([:])
        for (index, source) in sources.enumerated() {
            contact(source) { result in answers.update { $0[index] = result } }
        }
        let results = answers.wait(until: { $0.count == sources.count }) { $0 }
        var contents: [(RemoteSource, SourceContent)] = []
        for (index, source) in sources.enumerated() {
            guard let result = results[index] else { continue }
            contents.append((source, try result.get()))
        }
        install(contents)
    }

    private func contact(
        _ source: RemoteSource, _ completion: @escaping @Sendable (Result<SourceContent, SourceError>) -> Void
    ) {
        var request = Request(.get, source.url, purpose: .metadata)
        request.headers = [("Accept", "text/html, application/xhtml+xml, */*;q=0.5")]
        // A file's answer is as good as its first bytes; a directory's is needed whole.
        if !source.url.isDirectory { request.range = 0..<SegmentLimits.head }
        send(request, of: source, completion)
    }

    private func send(
        _ request: Request, of source: RemoteSource,
        _ completion: @escaping @Sendable (Result<SourceContent, SourceError>) -> Void
    ) {
        let allowsExternalLinks = context.options.allowsExternalLinks
        context.client.fetch(
            request, limit: Directory.maximumListing, patience: context.options.operationTimeout,
            keepsBody: { head in head.url.isDirectory || ListingParser.mayBeListing(mediaType: head.mediaType) }
        ) { [self] result in
            let response: Response
            switch result {
            case .success(let answer): response = answer
            case .failure(let error): return completion(.failure(source.error(for: error)))
            }
            if request.range != nil, needsPlainRequest(response) {
                var plain = request
                plain.range = nil
                return send(plain, of: source, completion)
            }
            context.work.async {
                completion(source.content(of: response, to: request.range, allowsExternalLinks: allowsExternalLinks))
            }
        }
    }

    /// A listing of which the server sent only the first part, or a server that refuses ranges.
    private func needsPlainRequest(_ response: Response) -> Bool {
        switch response.head.status {
        case 206: response.head.url.isDirectory || ListingParser.mayBeListing(mediaType: response.head.mediaType)
        case 400, 405, 406, 501: true
        case 416: response.head.contentRange != .unsatisfied(total: 0)
        default: false
        }
    }

    private func install(_ contents: [(RemoteSource, SourceContent)]) {
        if contents.count == 1, let (source, content) = contents.first, source.name == nil {
            if case .directory(let listing, let base, let freshness) = content {
                return root.adopt(listing, from: base, freshFor: freshness)
            }
        }
        let entries = contents.map { source, content in
            switch content {
            case .directory:
                ListingEntry(
                    name: source.name ?? "files", reference: source.url.text, kind: .directory, size: .unknown,
                    modified: nil)
            case .file(let name, let version, let modified):
                ListingEntry(
                    name: source.name ?? name, reference: source.url.text, kind: .file,
                    size: version.size.map { .exact($0) } ?? .unknown, modified: modified)
            }
        }
        root.fix(Listing(entries: entries))
        for (source, content) in contents {
            guard case .directory(let listing, let base, let freshness) = content, let name = source.name else {
                continue
            }
            root.childDirectory(name)?.adopt(listing, from: base, freshFor: freshness)
        }
    }
}

extension RemoteSource {
    fileprivate func content(
        of response: Response, to range: Range<Int64>?, allowsExternalLinks: Bool
    ) -> Result<SourceContent, SourceError> {
        let head = response.head
        switch head.status {
        case 200, 206: break
        case 416 where head.contentRange == .unsatisfied(total: 0): break
        default: return .failure(error(forStatus: head.status))
        }
        let mayBeListing = ListingParser.mayBeListing(mediaType: head.mediaType)
        if head.url.isDirectory
            || (mayBeListing && ListingParser.isListing(response.body, mediaType: head.mediaType, url: head.url))
        {
            do throws(FileFailure) {
                let listing = try response.listing(allowsExternalLinks: allowsExternalLinks)
                return .success(.directory(listing, base: head.url, freshness: head.freshness))
            } catch {
                return .failure(
                    SourceError(
                        url: url, kind: .notAListing, reason: error.words,
                        advice: "give the URL of a directory that the server lists, or of a single file"))
            }
        }
        var size = head.contentEncodings.isEmpty ? head.contentLength : nil
        if head.status == 206, case .satisfied(_, let total) = head.contentRange { size = total }
        if head.status == 416 { size = 0 }
        let version = FileVersion(size: size, entityTag: head.entityTag, lastModified: head.lastModified)
        let name = head.suggestedName.map { FileName($0) }.flatMap { $0.isValid ? $0 : nil }
        return .success(.file(name: name ?? url.lastComponent ?? "file", version, modified: head.lastModified))
    }

    fileprivate func error(for error: TransferError) -> SourceError {
        let kind: SourceError.Kind
        let advice: String
        switch error {
        case .notResolved:
            (kind, advice) = (.unreachable, "check the host name and the network")
        case .notConnected, .stalled, .timedOut, .noAnswer:
            (kind, advice) = (.unreachable, "check that the server runs and that the port is right")
        case .tls:
            (kind, advice) = (.other, "check the server's certificate and the system's CA certificates")
        case .tooManyRedirects, .refusedRedirect:
            (kind, advice) = (.other, "give the final URL, or a source that does not redirect there")
        case .cancelled, .cut, .badHead, .refusedRequest, .tooLarge, .other:
            (kind, advice) = (.other, "try the URL with curl -v to see what the server sends")
        }
        return SourceError(url: url, kind: kind, reason: error.words, advice: advice)
    }

    private func error(forStatus status: Int) -> SourceError {
        let (kind, advice): (SourceError.Kind, String) =
            switch status {
            case 404, 410: (.notFound, "check the path")
            case 401, 407: (.denied, "put user name and password for this host into ~/.netrc")
            case 403: (.denied, "the server does not let this user read it, or does not list the directory")
            case 429, 500...599: (.other, "try again later")
            default: (.other, "try the URL with curl -v to see what the server sends")
            }
        return SourceError(url: url, kind: kind, reason: "the server answered \(status)", advice: advice)
    }
}
