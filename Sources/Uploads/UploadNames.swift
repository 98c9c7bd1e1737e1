/// Which names of a drop folder are never sent: programs use them for what is not a finished file.
package enum UploadNames {
    /// What browsers append to the name of a download that still runs.
    package static let partialSuffixes = [".part", ".crdownload", ".download"]

    /// Whether a file of this name goes up; false for temporary, lock and metadata files, and all dot names. "x.tmp"
    /// does go up: such files are often somebody's work.
    package static func isCandidate(_ name: String) -> Bool {
        // Lock files of LibreOffice, swap files of vim, GLib's and rsync's temporary files, macOS's metadata and so on.
        if isHidden(name) { return false }
        // Owner files of Microsoft Office.
        if name.hasPrefix("~$") { return false }
        // Backups of editors, auto-saves of Emacs.
        if name.hasSuffix("~") || name.hasPrefix("#") && name.hasSuffix("#") { return false }
        if partialSuffixes.contains(where: name.hasSuffix) { return false }
        return !exact.contains(name.lowercased())
    }

    /// Whether nothing below a folder of this name goes up: `.git`, and `.Trash-1000`, where file managers put what was
    /// deleted.
    package static func isHidden(_ name: String) -> Bool { name.hasPrefix(".") }

    /// Whether the drop folder keeps this name at its top for itself.
    package static func isReserved(_ name: String) -> Bool { name == "sent" || name == "failed" }

    /// vim's probe whether a folder can be written to, and what Windows leaves in folders.
    private static let exact: Set = ["4913", "thumbs.db", "desktop.ini"]
}
