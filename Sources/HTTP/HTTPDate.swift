import CCurl

/// Dates of HTTP headers, read by libcurl, which takes all three forms of RFC 9110, 5.6.7.
enum HTTPDate {
    /// - Returns: seconds since 1970; nil if the text is no date.
    static func parse(_ text: String) -> Int64? {
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : Int64(seconds)
    }
}
