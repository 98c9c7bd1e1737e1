import Flights
package import HTTP
import Listings
package import Platform

/// One SOURCE of the command line, and the name it gets in the root of the mount.
package struct Source: Sendable {
    package enum Kind: Sendable {
        /// A remote file or directory.
        case files(HTTPURL, DirectoryProtocol = .automatic)
        /// A manifest of names and URLs, by the absolute path of its file.
        case links(String)
        /// A folder whose files are uploaded.
        case drop(DropTarget)
        /// Flights as directories.
        case flights(FlightsSource)
    }

    /// How the directories of a server are asked for.
    package enum DirectoryProtocol: Sendable {
        /// As the first answers show.
        case automatic
        case s3
        case webDAV
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
        case .files(let url, _): url.base + url.path
        case .links(let path): path
        case .drop(let target): target.url.base + target.url.path
        case .flights(let source): source.service.address
        }
    }

    /// Where it leads, without secrets.
    package var address: String {
        switch kind {
        case .files(let url, _): url.masked
        case .links(let path): path
        case .drop(let target): target.url.masked
        case .flights(let source): source.service.address
        }
    }
}

/// A files source, or a manifest.
struct RemoteSource: Sendable {
    enum Place: Sendable {
        case url(HTTPURL, Source.DirectoryProtocol)
        case manifest(ManifestFile)
    }

    let name: FileName?
    let place: Place

    /// What it is if it is a directory.
    var origin: Directory.Origin {
        switch place {
        case .url(let url, .automatic): .remote(url, .page)
        case .url(let url, .s3): .remote(url, .s3(S3Bucket(containing: url)))
        case .url(let url, .webDAV): .remote(url, .webDAV)
        case .manifest(let file): .manifest(file, [])
        }
    }
}
