import Platform

/// The line that shows how far a transfer is.
enum ProgressText {
    private static let barWidth = 20

    /// "name  45% [=========           ] 12.3 of 27.0 MiB  3.1 MiB/s  0:05 left", at most `StatusLine.width` columns.
    /// - Parameter rate: bytes per second; nil if it is not known yet.
    static func line(_ name: String, sent: Int64, total: Int64, rate: Double?) -> String {
        let sent = max(0, min(sent, total))
        let share = total > 0 ? Double(sent) / Double(total) : 1
        let filled = Int(share * Double(barWidth))
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: barWidth - filled)
        let percent = String(Int(share * 100))
        var text = String(repeating: " ", count: 3 - percent.count) + "\(percent)% [\(bar)] \(Quantity.words(sent))"
        if let rate {
            text += "  \(Quantity.words(Int64(rate)))/s"
            if rate >= 1, sent < total { text += "  \(Quantity.clock(seconds: Double(total - sent) / rate)) left" }
        }
        return TextWidth.cut(name, to: max(8, StatusLine.width - 2 - text.count)) + "  " + text
    }
}
