import Platform

/// Names for receipts and failed files beside those that are there already.
package enum ReceiptNames {
    /// "NAME.json", then "NAME (2).json" and so on: the first that is not taken. NAME is cut where the whole would be
    /// longer than a name may be.
    /// - Parameter suffix: what follows the number, ".json" or ".error.txt".
    package static func unique(_ name: String, suffix: String, taken: (String) -> Bool) -> String {
        first {
            numbered(name, suffix, $0)
        } notTaken: {
            !taken($0)
        }
    }

    /// A name for a file that moves to `failed/`: "NAME.EXT", then "NAME (2).EXT", the first where neither it nor its
    /// error text `errorName` is taken.
    package static func failed(_ name: String, taken: (String) -> Bool) -> String {
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        let (stem, suffix) = (String(name[..<dot]), String(name[dot...]))
        return first {
            $0 == 1 ? name : numbered(stem, suffix, $0)
        } notTaken: {
            !taken($0) && !taken(errorName($0))
        }
    }

    /// The name of the error text beside a failed file.
    package static func errorName(_ name: String) -> String { numbered(name, ".error.txt", 1) }

    private static func first(_ name: (Int) -> String, notTaken: (String) -> Bool) -> String {
        var number = 1
        while !notTaken(name(number)) { number += 1 }
        return name(number)
    }

    private static func numbered(_ name: String, _ suffix: String, _ number: Int) -> String {
        let end = (number == 1 ? "" : " (\(number))") + suffix
        var stem = name
        while stem.utf8.count + end.utf8.count > FileName.maximumLength, !stem.isEmpty { stem.removeLast() }
        return stem + end
    }
}
