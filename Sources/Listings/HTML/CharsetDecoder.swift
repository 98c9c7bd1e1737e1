import CXML

/// Turns file names of one legacy charset into UTF-8. Not for UTF-8 itself.
final class CharsetDecoder {
    // SAFETY: opened in init, used by this object's methods only (it is not Sendable), closed in deinit.
    private let converter: iconv_t

    /// The charsets pages are still written in: ASCII as one byte each, and no state from one character to the next.
    /// Nothing else reaches iconv, which loads a library by the name it is given.
    private static let known: Set<String> = Set(
        (1...16).filter { $0 != 12 }.map { "iso-8859-\($0)" } + (1250...1258).map { "windows-\($0)" }
            + ["koi8-r", "koi8-u", "ibm866", "macintosh", "gbk", "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis"])

    /// Other labels in use, by the Encoding Standard's table.
    private static let aliases = [
        "latin1": "iso-8859-1", "latin-1": "iso-8859-1", "iso8859-1": "iso-8859-1", "l1": "iso-8859-1",
        "cp1250": "windows-1250", "cp1251": "windows-1251", "cp1252": "windows-1252", "cp866": "ibm866",
        "gb2312": "gbk", "gb_2312-80": "gbk", "x-gbk": "gbk", "big5-hkscs": "big5", "sjis": "shift_jis",
        "shift-jis": "shift_jis", "x-sjis": "shift_jis", "windows-31j": "shift_jis", "ks_c_5601-1987": "euc-kr",
    ]

    /// - Returns: nil for UTF-8 and for any charset that is not known.
    init?(charset label: String) {
        let label = label.lowercased()
        let charset = Self.aliases[label] ?? label
        guard Self.known.contains(charset) else { return nil }
        // (iconv_t)(-1) is its only failure.
        guard let opened = iconv_open("UTF-8", charset), Int(bitPattern: opened) != -1 else { return nil }
        converter = opened
    }

    deinit { iconv_close(converter) }

    /// - Returns: nil if the bytes are not text of this charset.
    func decode(_ name: [UInt8]) -> [UInt8]? {
        var input = name.map { CChar(bitPattern: $0) }
        // No character of the known charsets takes more than four bytes in UTF-8.
        var output = [CChar](repeating: 0, count: name.count * 4)
        var inputLeft = input.count
        var outputLeft = output.count
        iconv(converter, nil, nil, nil, nil)
        let result = input.withUnsafeMutableBufferPointer { inputBuffer in
            output.withUnsafeMutableBufferPointer { outputBuffer in
                // SAFETY: iconv moves both pointers within the lengths it is given; the buffers outlive the call.
                var from = inputBuffer.baseAddress
                var to = outputBuffer.baseAddress
                return iconv(converter, &from, &inputLeft, &to, &outputLeft)
            }
        }
        guard result != .max, inputLeft == 0 else { return nil }
        return output[..<(output.count - outputLeft)].map { UInt8(bitPattern: $0) }
    }
}
