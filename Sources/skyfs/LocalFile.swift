import Glibc
import HTTP
import Platform

/// A file of this machine that is to be sent.
struct LocalFile {
    let path: String
    /// What the server is told.
    let name: String

    /// Looks whether it can be sent, without reading it.
    init(_ path: String) throws(CommandError) {
        self.path = path
        name = path.split(separator: "/").last.map(String.init) ?? path
        let (descriptor, _) = try Self.open(path)
        close(descriptor)
    }

    /// Its bytes, as many as there are now.
    func content() throws(CommandError) -> FileContent {
        let (descriptor, size) = try Self.open(path)
        defer { close(descriptor) }
        do { return try FileContent(duplicating: descriptor, size: size) } catch { throw Self.error(path, error) }
    }

    private static func open(_ path: String) throws(CommandError) -> (descriptor: Int32, size: Int64) {
        // A named pipe without a writer would hang the open.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw error(path, .current) }
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        guard kind == S_IFREG else {
            close(descriptor)
            if kind == S_IFDIR { throw error(path, .isDirectory) }
            throw CommandError(
                .usage, "\(DisplayText.sanitized(path)): not a regular file",
                advice: "what comes out of a pipe or device has no size yet: save it to a file first")
        }
        return (descriptor, Int64(status.st_size))
    }

    private static func error(_ path: String, _ errno: Errno) -> CommandError {
        CommandError(
            .usage, "cannot send \(DisplayText.sanitized(path)): \(errno)",
            advice: errno == .isDirectory
                ? "give the files in it, or pack it first: tar -cf FILE \(DisplayText.sanitized(path))" : nil)
    }
}
