import Glibc
import Platform

/// One line about what goes on: on a terminal it is drawn over itself, elsewhere each text is a line of standard error.
struct StatusLine {
    /// Of a terminal; lines that are longer would wrap and could not be drawn over.
    static let width = 79

    let isLive = isatty(STDOUT_FILENO) != 0

    func show(_ text: String) {
        let text = DisplayText.sanitized(text)
        if isLive {
            Output.print("\r\u{1B}[K" + TextWidth.cut(text, to: Self.width))
        } else {
            Output.error("skyfs: \(text)\n")
        }
    }

    /// A line that stays.
    func note(_ text: String) {
        clear()
        Output.error("skyfs: \(text)\n")
    }

    /// Takes the line away from the terminal.
    func clear() { if isLive { Output.print("\r\u{1B}[K") } }
}
