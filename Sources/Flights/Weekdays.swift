/// The service's letters for days of the week, "1" to "6" from Monday on and "日" for Sunday, in words.
enum Weekdays {
    private static let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// "daily", "Mon-Fri", "Mon, Wed-Sun"; letters that are not understood stay as they are.
    static func words(_ letters: String) -> String {
        var days: Set<Int> = []
        for letter in letters {
            guard let day = Array("123456日").firstIndex(of: letter) ?? (letter == "7" ? 6 : nil) else { return letters }
            days.insert(day)
        }
        if days.count == 7 { return "daily" }
        var runs: [ClosedRange<Int>] = []
        for day in days.sorted() {
            if let last = runs.last, last.upperBound == day - 1 {
                runs[runs.count - 1] = last.lowerBound...day
            } else {
                runs.append(day...day)
            }
        }
        return runs.map { run in
            let ends = run.count == 1 ? [run.lowerBound] : [run.lowerBound, run.upperBound]
            return ends.map { names[$0] }.joined(separator: run.count == 2 ? ", " : "-")
        }.joined(separator: ", ")
    }
}
