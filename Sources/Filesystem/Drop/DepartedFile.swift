import Platform

/// A file the server has, until its receipt is written. It is in no folder any more: what is opened under its name from
/// then on is another file.
struct DepartedFile: Sendable {
    let name: FileName
    /// Names of the folders it was in, from the top down.
    let folders: [FileName]
    let file: DropFile
}
