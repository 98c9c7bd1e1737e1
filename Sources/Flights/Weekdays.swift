/// The service's letters for days of the week, "1" to "6" from Monday on and "日" for Sunday, in words.
enum Weekdays {
    private static let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// "daily", "Mon-Fri", "Mon, Wed-Sun"; letters that are not understood stay as they are.
    static func words(_ letters: String) -> String {
        var flies = [false, false, false, false, false, false, false]
        for letter in letters.unicodeScalars {
            switch letter {
            case "1"..."7": flies[Int(letter.value - 0x31)] = true
            case "日": flies[6] = true
            default: return letters
            }
        }
        if !flies.contains(false) { return "daily" }
        var words = ""
        var day = 0
        while day < 7 {
            let start = day
            while day < 7, flies[day] { day += 1 }
            if day > start {
                if !words.isEmpty { words += ", " }
                words += names[start]
                if day - start > 1 { words += (day - start == 2 ? ", " : "-") + names[day - 1] }
            }
            day += 1
        }
        return words
    }
}
