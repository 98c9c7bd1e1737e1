package import HTTP
package import Uploads

/// Where the files of a drop folder go, and in which form.
package struct DropTarget: Sendable {
    package let url: HTTPURL
    /// Name of the form field that holds the file.
    package var fileField = "file"
    /// Text fields sent before it, in this order.
    package var parameters: [(name: String, value: String)] = []
    /// Name of a text field that gets the file's path below the drop folder.
    package var pathField: String?
    /// What counts as success.
    package var rule = SuccessRule()
    /// Sent with each upload to the target's own origin.
    package var headers: [(name: String, value: String)] = []

    package init(url: HTTPURL) { self.url = url }
}
