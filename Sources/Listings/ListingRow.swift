/// One entry as it is stored: offsets into the byte arrays of its `Listing`, 40 bytes with padding.
struct ListingRow: Sendable {
    enum ReferenceForm: UInt8 { case name, segment, whole }
    enum SizeForm: UInt8 { case exact, approximate, unknown }

    private var sizeValue: Int64 = 0
    /// `Int64.min` stands for no date, so that the row needs no byte for it.
    private var modifiedValue = Int64.min
    let hash: UInt32
    private let nameOffset: UInt32
    private var referenceOffset: UInt32 = 0
    private var referenceLength: UInt16 = 0
    private let nameLength: UInt8
    var kind: ListingEntry.Kind
    private(set) var referenceForm = ReferenceForm.name
    private var sizeForm = SizeForm.unknown

    /// - Parameter nameRange: at most 255 bytes long, ending below 4 GiB.
    init(nameRange: Range<Int>, hash: UInt32, kind: ListingEntry.Kind) {
        nameOffset = UInt32(nameRange.lowerBound)
        nameLength = UInt8(nameRange.count)
        self.hash = hash
        self.kind = kind
    }

    var nameRange: Range<Int> { Int(nameOffset)..<Int(nameOffset) + Int(nameLength) }

    /// Where the stored part of the reference lies; empty if nothing is stored.
    var referenceRange: Range<Int> { Int(referenceOffset)..<Int(referenceOffset) + Int(referenceLength) }

    mutating func setReference(_ form: ReferenceForm, _ range: Range<Int>) {
        referenceForm = form
        referenceOffset = UInt32(range.lowerBound)
        referenceLength = UInt16(range.count)
    }

    var size: ListingEntry.Size {
        get {
            switch sizeForm {
            case .exact: .exact(sizeValue)
            case .approximate: .approximate(sizeValue)
            case .unknown: .unknown
            }
        }
        set {
            switch newValue {
            case .exact(let bytes): (sizeForm, sizeValue) = (.exact, bytes)
            case .approximate(let bytes): (sizeForm, sizeValue) = (.approximate, bytes)
            case .unknown: (sizeForm, sizeValue) = (.unknown, 0)
            }
        }
    }

    var modified: Int64? {
        get { modifiedValue == .min ? nil : modifiedValue }
        set { modifiedValue = newValue ?? .min }
    }
}
