/// Where bytes differ from what they should be, in words; nil if they are equal.
///
/// An `#expect` on long arrays would compute and print their difference.
package func mismatch(_ bytes: [UInt8], _ expected: [UInt8]) -> String? {
    if bytes == expected { return nil }
    if bytes.count != expected.count, bytes.starts(with: expected.prefix(bytes.count)) {
        return "\(bytes.count) bytes instead of \(expected.count), all right as far as they go"
    }
    let place = zip(bytes, expected).enumerated().first { $0.element.0 != $0.element.1 }
    guard let place else { return "\(bytes.count) bytes instead of \(expected.count)" }
    return "byte \(place.offset) is \(place.element.0) instead of \(place.element.1), "
        + "\(bytes.count) bytes for \(expected.count)"
}
