import CCurl

/// Dates of HTTP headers, read by libcurl, which takes all three forms of RFC 9110, 5.6.7.
enum HTTPDate {
    /// - Returns: seconds since 1970; nil if the text is no date.
    static func parse(_ text: String) -> Int64? {
        // libcurl takes the year 0001, Go's zero time, for 2001.
        let hasNoYear = text.split { " -".contains($0) }.contains { $0.count == 4 && $0.hasPrefix("0") }
        if hasNoYear { return nil }
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : Int64(seconds)
    }
}
