import LoopbackServer

/// What was uploaded to the demo, as JSON text. Pure.
enum UploadList {
    /// The list of all uploads, oldest first.
    static func text(_ uploads: [UploadAttempt]) -> String {
        let rows = uploads.compactMap { upload in upload.file.map { row($0, fields: upload.fields) } }
        return "[\(rows.joined(separator: ",\n "))]\n"
    }

    private static func row(_ file: FormPart, fields: [FormPart]) -> String {
        let fields = fields.map { "\(quoted($0.name)):\(quoted($0.text))" }.joined(separator: ",")
        return """
            {"name":\(quoted(file.fileName ?? "")),"field":\(quoted(file.name)),"type":\(quoted(file.mediaType ?? "")),\
            "size":\(file.size),"sha256":"\(file.sha256)","fields":{\(fields)}}
            """
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
