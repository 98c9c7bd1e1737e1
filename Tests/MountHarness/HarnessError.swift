/// Why a test could not have its mount or its server, or what was wrong with them at the end.
package struct HarnessError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
