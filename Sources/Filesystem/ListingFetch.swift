import HTTP
import Listings
import Platform

/// Asks for the listing of one directory, page after page. Its steps run on the work thread.
final class ListingFetch: Sendable {
    enum Outcome: Sendable {
        case listing(FetchedListing)
        /// 304: the listing that is here is still the right one.
        case unchanged(freshness: Duration?)
    }

    typealias Completion = @Sendable (Result<Outcome, FileFailure>) -> Void

    private struct Progress: Sendable {
        var pages: PagedListing
        /// From the first answer, its listing still empty.
        var result: FetchedListing?
    }

    /// The largest page taken, in bytes: 500 000 entries of a usual length.
    static let maximumPage = 64 << 20

    private let context: MountContext
    private let url: HTTPURL
    private let style: ListingStyle
    private let condition: ListingCondition?
    private let progress: Lock<Progress>
    private let completion: Completion

    /// - Parameters:
    ///   - url: of the directory, not of the request.
    ///   - condition: of the listing that is here.
    ///   - completion: called once, on the work thread.
    init(
        context: MountContext, url: HTTPURL, style: ListingStyle, condition: ListingCondition? = nil,
        completion: @escaping Completion
    ) {
        self.context = context
        self.url = url
        self.style = style
        self.condition = condition
        self.completion = completion
        progress = Lock(Progress(pages: PagedListing(first: Self.target(url, style))))
    }

    func start() { ask(Self.target(url, style)) }

    /// Goes on from an answer that came already. On the work thread.
    func take(_ response: Response) { take(.success(response)) }

    private static func target(_ url: HTTPURL, _ style: ListingStyle) -> HTTPURL {
        if case .s3(let bucket) = style, let target = bucket.request(for: url) { return target }
        return url
    }

    private func ask(_ target: HTTPURL) {
        var request = Request(.get, target, purpose: .metadata)
        switch style {
        case .page, .s3: request.headers = [("Accept", context.traits.listingTypes(of: target.origin))]
        case .webDAV:
            request.method = .propfind
            request.headers = PropertyRequest.headers
            request.body = PropertyRequest.body
        }
        if let condition, progress.withLock({ $0.result == nil }) {
            request.headers.append((condition.name, condition.value))
        }
        context.client.fetch(request, limit: Self.maximumPage, patience: context.options.operationTimeout) {
            [self] result in
            context.work.async { [self] in take(result) }
        }
    }

    private func take(_ result: Result<Response, TransferError>) {
        do throws(FileFailure) {
            let response = try result.mapFailure()
            context.traits.note(server: response.head.server, of: response.head.url.origin)
            if response.head.status == 304, condition != nil {
                return completion(.success(.unchanged(freshness: response.head.freshness)))
            }
            let page = try response.page(allowsExternalLinks: context.options.allowsExternalLinks)
            if let next = try append(page, response.head) { return ask(next) }
            let listing = progress.withLock { progress in
                defer { progress.pages = PagedListing(first: url) }
                var result = progress.result
                result?.listing = progress.pages.listing
                return result
            }
            if let listing { completion(.success(.listing(listing))) }
        } catch {
            completion(.failure(error))
        }
    }

    /// - Returns: what to ask for next.
    private func append(_ page: ListingPage, _ head: ResponseHead) throws(FileFailure) -> HTTPURL? {
        let result: Result<HTTPURL?, ListingError> = progress.withLock { progress in
            if progress.result == nil {
                // Of several pages each has a validator of its own.
                progress.result = FetchedListing(
                    listing: Listing(entries: []), base: head.url, style: style(of: page), freshness: head.freshness,
                    condition: page.next == nil ? ListingCondition(head) : nil)
            }
            return Result { () throws(ListingError) in try progress.pages.append(page) }
        }
        do { return try result.get() } catch { throw .listing(error) }
    }

    private func style(of page: ListingPage) -> ListingStyle {
        switch page.format {
        case .html, .json: .page
        case .s3(let bucket): .s3(bucket)
        case .webDAV: .webDAV
        }
    }
}

extension Response {
    /// The entries of a directory's answer. CPU work: not on the network thread.
    func page(allowsExternalLinks: Bool) throws(FileFailure) -> ListingPage {
        guard (200..<300).contains(head.status) else { throw .status(head.status) }
        do {
            return try ListingParser.parse(
                body, mediaType: head.mediaType, charset: head.charset, url: head.url,
                allowsExternalLinks: allowsExternalLinks)
        } catch {
            throw .listing(error)
        }
    }
}

extension Result where Success == Response, Failure == TransferError {
    func mapFailure() throws(FileFailure) -> Response {
        switch self {
        case .success(let response): return response
        case .failure(let error): throw .transfer(error)
        }
    }
}
