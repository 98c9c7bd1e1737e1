import HTTP

/// Queries as a signature (AWS SigV4) wants them: sorted by name, all but unreserved characters encoded. libcurl signs a
/// query as it is given and does neither.
enum S3Query {
    /// A name, of unreserved characters, and its value as it is meant.
    typealias Parameter = (name: String, value: [UInt8])

    static func text(_ parameters: [Parameter]) -> String {
        let pairs = parameters.map { (name: Array($0.name.utf8), value: PercentEncoding.encodeSegment($0.value)) }
        return pairs.sorted { $0.name.lexicographicallyPrecedes($1.name) }
            .map { "\(String(decoding: $0.name, as: UTF8.self))=\($0.value)" }.joined(separator: "&")
    }

    /// The parameters of a request, decoded. A name that stands without a value has an empty one.
    static func parameters(of url: HTTPURL) -> [Parameter] {
        (url.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (
                String(decoding: pair[..<mark], as: UTF8.self),
                PercentEncoding.decode(Array(pair[mark...].dropFirst())[...])
            )
        }
    }

    /// Form encoding, as S3 uses it for keys that it was asked to encode: "+" is a blank.
    static func formDecoded(_ text: [UInt8]) -> [UInt8] {
        PercentEncoding.decode(text.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }[...])
    }
}
