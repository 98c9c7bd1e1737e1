package import Platform

/// A list of names for resources anywhere, as a tree of directories: one `NAME<TAB>URL` or plain `URL` a line.
///
/// A name may hold "/", which makes directories; a plain URL is named by its last segment, or its host. A URL that ends in
/// "/" is a directory. Empty lines and lines that begin with "#" say nothing.
package struct Manifest: Sendable {
    private let directories: [[FileName]: Listing]

    /// - Parameter text: the file's bytes. URLs are UTF-8, names are taken as they are.
    package init(_ text: [UInt8]) throws(ManifestError) {
        var reader = ManifestReader()
        try reader.read(text)
        directories = reader.directories.mapValues { listing in
            var listing = listing
            listing.trim()
            return listing
        }
    }

    /// The directories, as names from the root down; the root, which has none, is among them.
    package var paths: some Collection<[FileName]> { directories.keys }

    /// The entries of one directory. References are whole URLs, but for directories that the manifest's own names make:
    /// those have their path in it, as "/a/b/".
    /// - Returns: nil if the manifest makes no such directory.
    package func listing(of path: [FileName]) -> Listing? { directories[path] }
}
