/// The bytes of a test file: byte i is `i mod 251`, a prime, so that a wrong offset never looks right.
package enum Pattern {
    package static func bytes(_ range: Range<Int64>) -> [UInt8] { range.map { UInt8($0 % 251) } }
}
