package import HTTP
package import Platform

/// One SOURCE of the command line: an http(s) URL, and the name it gets in the root of the mount.
package struct Source: Sendable {
    /// nil: the source is the root of the mount.
    package let name: FileName?
    package let url: HTTPURL

    package init(name: FileName?, url: HTTPURL) {
        self.name = name
        self.url = url
    }
}
