/// What an answer with a redirect status leads to. Pure.
enum RedirectStep: Hashable, Sendable {
    case none
    case follow(HTTPURL)
    case refuse(TransferError)

    /// As many as browsers' order of magnitude; a circle ends here too.
    static let maximumHops = 10

    init(status: Int, location: String?, from url: HTTPURL, hops: Int) {
        guard [301, 302, 303, 307, 308].contains(status), let location else {
            self = .none
            return
        }
        guard hops < Self.maximumHops else {
            self = .refuse(.tooManyRedirects)
            return
        }
        guard let target = url.resolving(location) else {
            self = .refuse(.refusedRedirect("its target is not an http or https URL"))
            return
        }
        if url.origin.scheme == "https", target.origin.scheme == "http" {
            self = .refuse(.refusedRedirect("from https to http"))
            return
        }
        self = .follow(target)
    }
}
