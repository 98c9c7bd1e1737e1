/// The receipt of one file that its target has taken.
package struct ReceiptRow: Hashable, Sendable {
    /// Ascending: the receipts with the lowest ids are dropped first.
    package var id: Int64
    /// The path of its folder below `sent`, without slashes at the ends; empty at the top.
    package var folder: String
    /// The receipt's own file name.
    package var name: String
    /// The receipt as it is read.
    package var text: String
    /// When it was written, in milliseconds since 1970.
    package var time: Int64

    package init(id: Int64, folder: String, name: String, text: String, time: Int64) {
        self.id = id
        self.folder = folder
        self.name = name
        self.text = text
        self.time = time
    }
}
