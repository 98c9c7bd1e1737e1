package import HTTP
package import Platform

/// One SOURCE of the command line, and the name it gets in the root of the mount.
package struct Source: Sendable {
    package enum Kind: Sendable {
        /// A remote file or directory.
        case files(HTTPURL)
        /// A folder whose files are uploaded.
        case drop(DropTarget)
    }

    /// nil: the source is the root of the mount.
    package let name: FileName?
    package let kind: Kind

    package init(name: FileName?, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    package init(name: FileName?, url: HTTPURL) { self.init(name: name, kind: .files(url)) }

    /// Where it leads.
    package var url: HTTPURL {
        switch kind {
        case .files(let url): url
        case .drop(let target): target.url
        }
    }
}

/// A files source.
struct RemoteSource: Sendable {
    let name: FileName?
    let url: HTTPURL
}
