/// Sizes as listings round them. Pure.
enum RoundedSize {
    private static let units = Array("KMGTPE")

    /// Four columns, as `apr_strfsize` writes them: "972 ", "1.0K", " 12M".
    static func apache(_ size: Int64) -> String {
        if size < 973 { return padded("\(size)") + " " }
        var (rest, unit) = (size, 0)
        while true {
            var remainder = rest & 1023
            rest >>= 10
            if rest >= 973 {
                unit += 1
                continue
            }
            if rest < 9 || rest == 9 && remainder < 973 {
                remainder = (remainder * 5 + 256) / 512
                if remainder >= 10 { (rest, remainder) = (rest + 1, 0) }
                return "\(rest).\(remainder)\(units[unit])"
            }
            if remainder >= 512 { rest += 1 }
            return padded("\(rest)") + String(units[unit])
        }
    }

    /// One decimal, never below thousandths of a K: "0.4K", "64.0M".
    static func lighttpd(_ size: Int64) -> String {
        var (rest, unit, remainder) = (size, -1, Int64(0))
        repeat {
            remainder = rest & 1023
            rest >>= 10
            unit += 1
        } while rest > 1023
        return "\(rest).\(min(9, remainder / 100))\(units[unit])"
    }

    private static func padded(_ digits: String) -> String {
        String(repeating: " ", count: max(0, 3 - digits.count)) + digits
    }
}
