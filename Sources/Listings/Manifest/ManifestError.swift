/// What is wrong with a manifest, for its author.
package struct ManifestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1; nil: the whole file.
    package let line: Int?
    /// Safe to show.
    package let reason: String

    package init(line: Int?, reason: String) {
        self.line = line
        self.reason = reason
    }

    package var description: String { line.map { "line \($0): \(reason)" } ?? reason }
}
