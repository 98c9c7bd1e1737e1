/// What the service says in a row that is no flight and no city. Told by its texts loosely: they are not documented.
struct ServiceMessage {
    private let words: String

    init(_ row: [String]) { words = CleanText.of(row.filter { !$0.isEmpty }.joined(separator: " ")) }

    /// nil if it says that there are no flights that day.
    var error: FlightsError? {
        if words.contains("没有航班") { return nil }
        if words.contains("不被支持") { return .unknownCity(words) }
        if words.hasPrefix("发现错误") || words.contains("免费用户") || words.lowercased().contains("webxml.com.cn") {
            return .quota(words)
        }
        return words.isEmpty ? .notTheAnswer("a row without a flight and without words") : .refused(words)
    }
}
