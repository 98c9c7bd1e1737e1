import CCurl

/// Dates of HTTP headers, read by libcurl, which takes all three forms of RFC 9110, 5.6.7.
enum HTTPDate {
    /// - Returns: seconds since 1970; nil if the text is no date.
    static func parse(_ text: String) -> Int64? {
        // libcurl takes a year 0001, which some servers send for "never", for 2001.
        let words = text.split { $0 == " " || $0 == "-" }
        guard !words.contains(where: { $0.utf8.count == 4 && $0.first == "0" && $0.allSatisfy(\.isNumber) }) else {
            return nil
        }
        let seconds = curl_getdate(text, nil)
        return seconds == -1 ? nil : Int64(seconds)
    }
}
