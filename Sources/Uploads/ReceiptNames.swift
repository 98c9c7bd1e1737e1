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
        let dot = name.lastIndex(of: ".") ?? name.startIndex
        let hasSuffix = dot != name.startIndex && name[dot...].utf8.count <= longestSuffix
        let (stem, suffix) = hasSuffix ? (String(name[..<dot]), String(name[dot...])) : (name, "")
        return first {
            // With room for the error suffix: a number that were cut off again would never make a difference.
            $0 == 1 ? name : numbered(stem, suffix, $0, room: errorSuffix.utf8.count)
        } notTaken: {
            !taken($0) && !taken(errorName($0))
        }
    }

    /// The name of the error text beside a failed file.
    package static func errorName(_ name: String) -> String { numbered(name, errorSuffix, 1) }

    private static let errorSuffix = ".error.txt"
    /// What is longer, in bytes, is not there to tell the kind of the file, and would leave no room for its name.
    private static let longestSuffix = 32

    private static func first(_ name: (Int) -> String, notTaken: (String) -> Bool) -> String {
        var number = 1
        while !notTaken(name(number)) { number += 1 }
        return name(number)
    }

    private static func numbered(_ name: String, _ suffix: String, _ number: Int, room: Int = 0) -> String {
        let end = (number == 1 ? "" : " (\(number))") + suffix
        var stem = name
        while stem.utf8.count + end.utf8.count + room > FileName.maximumLength, !stem.isEmpty { stem.removeLast() }
        return stem + end
    }
}
