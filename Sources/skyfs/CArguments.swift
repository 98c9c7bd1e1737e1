import Glibc

/// Swift strings as a C argument vector.
enum CArguments {
    /// The vector is only valid during the call.
    static func with<Result>(
        _ words: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        // SAFETY: every pointer is a copy made here, freed after the call; the vector ends in nil.
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return withUnsafeMutablePointer(to: &pointers[0]) { body($0) }
    }
}
