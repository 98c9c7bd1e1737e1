/// An element that an `XMLReader` came to, by its place in the document.
package struct XMLElement: Sendable {
    /// The number of elements it lies in, itself included; the root has 1.
    package let depth: Int
}
