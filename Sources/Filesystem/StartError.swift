/// Why a mount cannot begin on this machine, whatever its servers say.
package struct StartError: Error, Sendable {
    /// What went wrong.
    package let words: String
    /// What the person can do about it.
    package let advice: String
}
