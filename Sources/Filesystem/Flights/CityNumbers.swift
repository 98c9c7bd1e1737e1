import Platform

/// Numbers for the names that were used for cities: an alias is a folder of its own, for the kernel knows a directory by one
/// name only.
struct CityNumbers: Sendable {
    private var numbers: [FileName: Int] = [:]
    private(set) var names: [FileName] = []

    private static let limit = 1 << FlightNode.cityBits

    /// nil when there is no number left. Half of them are for listed names alone: a name has many spellings.
    mutating func number(of name: FileName, isListed: Bool) -> Int? {
        if let known = numbers[name] { return known }
        guard names.count < (isListed ? Self.limit : Self.limit / 2) else { return nil }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }

    func name(_ number: Int) -> FileName? { names.indices.contains(number) ? names[number] : nil }
}
