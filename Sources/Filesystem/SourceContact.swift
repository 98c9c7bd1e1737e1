import HTTP
import Listings
import Platform
import Segments

/// What a source's first answer showed it to be.
enum SourceContent: Sendable {
    case directory(FetchedListing)
    case manifest
    case file(name: FileName, url: HTTPURL, FileVersion, modified: Int64?)
}

/// Finds out what a source is: a file, or a directory and how that is asked for. A GET tells most; what has no page of its own
/// is asked once more in the way that its answer suggests.
struct SourceContact: Sendable {
    let context: MountContext
    let url: HTTPURL
    let way: Source.DirectoryProtocol
    /// Called once, on the network or the work thread.
    let completion: @Sendable (Result<SourceContent, FileFailure>) -> Void

    func start() {
        switch way {
        case .automatic:
            var request = Request(.get, url, purpose: .metadata)
            request.headers = [("Accept", context.traits.listingTypes(of: url.origin))]
            // A file's answer is as good as its first bytes; a directory's is needed whole.
            if !url.isDirectory { request.range = 0..<SegmentLimits.head }
            send(request)
        case .s3: list(.s3(S3Bucket(containing: url)), completion)
        case .webDAV: list(.webDAV, completion)
        }
    }

    private func list(
        _ style: ListingStyle, _ completion: @escaping @Sendable (Result<SourceContent, FileFailure>) -> Void
    ) {
        fetch(style, completion).start()
    }

    private func fetch(
        _ style: ListingStyle, at url: HTTPURL? = nil,
        _ completion: @escaping @Sendable (Result<SourceContent, FileFailure>) -> Void
    ) -> ListingFetch {
        ListingFetch(context: context, url: url ?? self.url, style: style) { result in
            switch result {
            case .success(.listing(let listing)): completion(.success(.directory(listing)))
            case .success(.unchanged): completion(.failure(.status(304)))
            case .failure(let failure): completion(.failure(failure))
            }
        }
    }

    private func send(_ request: Request) {
        context.client.fetch(
            request, limit: ListingFetch.maximumPage, patience: context.options.operationTimeout,
            keepsBody: { head in head.url.isDirectory || ListingParser.mayBeListing(mediaType: head.mediaType) }
        ) { [self] result in
            let response: Response
            switch result {
            case .success(let answer): response = answer
            case .failure(let error): return completion(.failure(.transfer(error)))
            }
            if request.range != nil, needsPlainRequest(response) {
                var plain = request
                plain.range = nil
                return send(plain)
            }
            context.work.async { take(response) }
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

    private func take(_ response: Response) {
        let head = response.head
        switch head.status {
        case 200, 206: break
        case 416 where head.contentRange == .unsatisfied(total: 0): break
        default: return tryOtherWays(head, .status(head.status))
        }
        let mayBeListing = ListingParser.mayBeListing(mediaType: head.mediaType)
        guard
            head.url.isDirectory
                || (mayBeListing && ListingParser.isListing(response.body, mediaType: head.mediaType, url: head.url))
        else {
            return completion(.success(file(head)))
        }
        fetch(.page, at: head.url) { result in
            switch result {
            case .failure(let failure): tryOtherWays(head, failure)
            // A page for people rounds the sizes; the server has them exactly.
            case .success(.directory(let page)) where page.style == .page && head.offersDAV:
                list(.webDAV) { completion((try? $0.get()).map { .success($0) } ?? result) }
            case .success: completion(result)
            }
        }.take(response)
    }

    /// A directory without a page may still be one of WebDAV or S3.
    private func tryOtherWays(_ head: ResponseHead, _ failure: FileFailure) {
        let style: ListingStyle
        if failure.isRefusedListing, url.isDirectory {
            style = .webDAV
        } else if [403, 404].contains(head.status), let server = head.server, Self.s3Servers.contains(server) {
            style = .s3(S3Bucket(containing: url))
        } else {
            return completion(.failure(failure))
        }
        list(style) { completion((try? $0.get()).map { .success($0) } ?? .failure(failure)) }
    }

    /// What they call themselves in the Server header.
    private static let s3Servers: Set = ["AmazonS3", "MinIO", "Ceph Object Gateway"]

    private func file(_ head: ResponseHead) -> SourceContent {
        var size = head.contentEncodings.isEmpty ? head.contentLength : nil
        if head.status == 206, case .satisfied(_, let total) = head.contentRange { size = total }
        if head.status == 416 { size = 0 }
        let version = FileVersion(size: size, entityTag: head.entityTag, lastModified: head.lastModified)
        let name = head.suggestedName.map { FileName($0) }.flatMap { $0.isValid ? $0 : nil }
        return .file(name: name ?? url.lastComponent ?? "file", url: url, version, modified: head.lastModified)
    }
}
