import Flights
package import HTTP
package import Platform

/// One SOURCE of the command line, and the name it gets in the root of the mount.
package struct Source: Sendable {
    package enum Kind: Sendable {
        /// A remote file or directory.
        case files(HTTPURL)
        /// A folder whose files are uploaded.
        case drop(DropTarget)
        /// Flights as directories.
        case flights(FlightsSource)
    }

    /// nil: the source is the root of the mount.
    package let name: FileName?
    package let kind: Kind

    package init(name: FileName?, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    package init(name: FileName?, url: HTTPURL) { self.init(name: name, kind: .files(url)) }

    /// Where it leads, without even the names of a query: for /proc/mounts.
    package var shownAddress: String {
        switch kind {
        case .files(let url): url.base + url.path
        case .drop(let target): target.url.base + target.url.path
        case .flights(let source): source.service.address
        }
    }

    /// Where it leads, without secrets.
    package var address: String {
        switch kind {
        case .files(let url): url.masked
        case .drop(let target): target.url.masked
        case .flights(let source): source.service.address
        }
    }
}

/// A files source.
struct RemoteSource: Sendable {
    let name: FileName?
    let url: HTTPURL
}
