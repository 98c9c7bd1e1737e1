import HTTP
import Listings
import Platform

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
        switch source.place {
        case .url(let url, let way):
            SourceContact(context: context, url: url, way: way) { result in
                switch result {
                case .success(let content): completion(.success(content))
                case .failure(let failure): completion(.failure(source.error(for: failure)))
                }
            }.start()
        case .manifest(let file):
            context.work.async {
                do throws(ManifestError) {
                    _ = try file.manifest()
                    completion(.success(.manifest))
                } catch { completion(.failure(source.error(for: .manifest(error.description)))) }
            }
        }
    }

    private func install(_ contents: [(RemoteSource, SourceContent)]) {
        if contents.count == 1, let (source, content) = contents.first, source.name == nil {
            switch content {
            case .directory(let fetched): return root.adopt(fetched)
            case .manifest: return
            case .file: break
            }
        }
        var origins: [FileName: Directory.Origin] = [:]
        let entries = contents.map { source, content in
            switch content {
            case .directory, .manifest:
                let name = source.name ?? "files"
                origins[name] = source.origin
                // Found out by now, and not to be found out again.
                if case .directory(let fetched) = content, case .remote(let url, _) = source.origin {
                    origins[name] = .remote(url, fetched.style)
                }
                return ListingEntry(name: name, reference: "/", kind: .directory)
            case .file(let name, let url, let version, let modified):
                return ListingEntry(
                    name: source.name ?? name, reference: url.text, kind: .file,
                    size: version.size.map { .exact($0) } ?? .unknown, modified: modified)
            }
        }
        root.fix(Listing(entries: entries), origins: origins)
        for (source, content) in contents {
            guard case .directory(let fetched) = content, let name = source.name else { continue }
            root.childDirectory(name)?.adopt(fetched)
        }
    }
}

extension RemoteSource {
    private var address: String {
        switch place {
        case .url(let url, _): url.masked
        case .manifest(let file): file.path
        }
    }

    fileprivate func error(for failure: FileFailure) -> SourceError {
        switch failure {
        case .transfer(let error): self.error(for: error)
        case .status(let status): error(forStatus: status)
        case .manifest:
            SourceError(
                address: address, kind: .other, reason: failure.words,
                advice: "a line of a manifest is NAME, a tab, and a URL; or only a URL")
        case .listing, .changed, .wrongAnswer, .noProgress, .shutDown:
            SourceError(
                address: address, kind: .notAListing, reason: failure.words,
                advice: "give the URL of a directory that the server lists, or of a single file")
        }
    }

    private func error(for error: TransferError) -> SourceError {
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
        return SourceError(address: address, kind: kind, reason: error.words, advice: advice)
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
        return SourceError(address: address, kind: kind, reason: "the server answered \(status)", advice: advice)
    }
}
