/// Sizes and times as people write them.
enum Quantity {
    /// "64M", "1.5G", "4096": bytes; K, M, G and T are powers of 1024.
    static func bytes(_ text: String) -> Int64? {
        let units: [(Character, Double)] = [
            ("K", 1024), ("M", 1_048_576), ("G", 1_073_741_824), ("T", 1_099_511_627_776),
        ]
        var number = text.uppercased()
        if number.hasSuffix("IB") { number.removeLast(2) } else if number.hasSuffix("B") { number.removeLast() }
        var scale = 1.0
        if let last = number.last, let unit = units.first(where: { $0.0 == last }) {
            scale = unit.1
            number.removeLast()
        }
        guard let value = decimal(number), value * scale < 9e18 else { return nil }
        return Int64(value * scale)
    }

    /// "30", "1.5s", "500ms", "10m", "2h": a duration of at most a hundred years.
    static func time(_ text: String) -> Duration? {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)]
        let unit = units.first { text.hasSuffix($0.0) }
        let number = unit.map { String(text.dropLast($0.0.count)) } ?? text
        guard let value = decimal(number), value * (unit?.1 ?? 1) < 3.2e9 else { return nil }
        return .nanoseconds(Int64(value * (unit?.1 ?? 1) * 1e9))
    }

    /// "512 bytes", "3.5 KiB", "12.0 MiB"
    static func words(_ bytes: Int64) -> String {
        guard bytes >= 1024 else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        var value = Double(bytes) / 1024
        var units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...]
        // From 1023.95 on the rounded number would have four digits.
        while value >= 1023.95, units.count > 1 {
            value /= 1024
            units = units.dropFirst()
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units.first ?? "")"
    }

    /// "0:05", "12:34", "1:02:03"; of more than 99 hours "99:59:59".
    static func clock(seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 359_999)).rounded(.up))
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":\(two(whole % 60))"
    }

    /// Digits with at most one point; no sign, no exponent, no "nan".
    private static func decimal(_ text: String) -> Double? {
        guard !text.isEmpty, text.count < 20, text.allSatisfy({ $0 == "." || ($0.isASCII && $0.isNumber) }) else {
            return nil
        }
        return Double(text)
    }
}
