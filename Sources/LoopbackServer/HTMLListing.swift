package import Platform

/// A directory's page in the style of a real server: its words, columns, rounding and escaping.
package struct HTMLListing: Sendable {
    package enum Style: CaseIterable, Sendable {
        /// autoindex: exact sizes, long names cut in the text.
        case nginx
        /// mod_autoindex with FancyIndexing: rounded sizes, links that sort, names cut at 23 columns.
        case apacheFancy
        /// mod_autoindex without it: names only.
        case apachePlain
        /// mod_dirlisting: a table with rounded sizes and types.
        case lighttpd
        /// `python3 -m http.server`: names only.
        case python
    }

    package struct Entry: Sendable {
        package var name: FileName
        package var isDirectory: Bool
        /// Bytes; not shown for directories.
        package var size: Int64
        /// Seconds since 1970.
        package var modified: Int64

        package static func file(_ name: FileName, size: Int64, modified: Int64 = usualModified) -> Entry {
            Entry(name: name, isDirectory: false, size: size, modified: modified)
        }

        package static func directory(_ name: FileName, modified: Int64 = usualModified) -> Entry {
            Entry(name: name, isDirectory: true, size: 0, modified: modified)
        }

        /// 6 July 2026 10:00:00 UTC, as `FileResource.usualLastModified`.
        package static let usualModified: Int64 = 1_783_332_000
    }

    /// The directory's decoded path, with "/" at both ends.
    package var path: String
    package var entries: [Entry]
    package var style: Style

    package init(_ path: String = "/", style: Style = .nginx, _ entries: [Entry]) {
        self.path = path
        self.style = style
        self.entries = entries
    }

    package var responder: Responder { { _, _ in answer } }

    package var answer: Answer {
        let charset = style == .apacheFancy || style == .apachePlain ? "UTF-8" : "utf-8"
        // nginx states no charset by default.
        let type = style == .nginx ? "text/html" : "text/html;charset=\(charset)"
        return Answer(headers: [("Content-Type", type)], body: .text(text))
    }

    package var text: String {
        switch style {
        case .nginx: nginx
        case .apacheFancy: apacheFancy
        case .apachePlain: apachePlain
        case .lighttpd: lighttpd
        case .python: python
        }
    }
}

extension HTMLListing {
    private var title: String { Self.escaped(path) }
    private var parent: String { path.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/" }

    private var nginx: String {
        var text = "<html>\r\n<head><title>Index of \(title)</title></head>\r\n<body>\r\n"
        text += "<h1>Index of \(title)</h1><hr><pre><a href=\"../\">../</a>\r\n"
        for entry in entries {
            let (shown, padding) = Self.cut(entry.shownName, columns: 50, mark: "..&gt;")
            let size = entry.isDirectory ? "-" : "\(entry.size)"
            text += "<a href=\"\(Self.reference(entry, unescaped: "-._~"))\">\(shown)</a>\(padding) "
            text += Timestamp.formatted(entry.modified, "%d-%b-%Y %H:%M")
            text += " " + String(repeating: " ", count: max(0, 19 - size.count)) + size + "\r\n"
        }
        return text + "</pre><hr></body>\r\n</html>\r\n"
    }

    private var apacheFancy: String {
        var text = apacheHead
        text += "<pre><img src=\"/icons/blank.gif\" alt=\"Icon \"> <a href=\"?C=N;O=D\">Name</a>                    "
        text += "<a href=\"?C=M;O=A\">Last modified</a>      <a href=\"?C=S;O=A\">Size</a>  "
        text += "<a href=\"?C=D;O=A\">Description</a><hr>"
        if path != "/" {
            text += "<img src=\"/icons/back.gif\" alt=\"[PARENTDIR]\"> <a href=\"\(Self.escaped(parent))\">"
            text += "Parent Directory</a>                             -   \n"
        }
        for entry in entries {
            let (shown, padding) = Self.cut(entry.shownName, columns: 23, mark: "..&gt;")
            let icon = entry.isDirectory ? ("folder", "DIR") : ("unknown", "   ")
            text += "<img src=\"/icons/\(icon.0).gif\" alt=\"[\(icon.1)]\"> "
            text += "<a href=\"\(Self.reference(entry, unescaped: Self.apacheUnescaped))\">\(shown)</a>\(padding) "
            text += Timestamp.formatted(entry.modified, "%Y-%m-%d %H:%M")
            text += "  \(entry.isDirectory ? "  - " : RoundedSize.apache(entry.size))  \n"
        }
        return text + "<hr></pre>\n</body></html>\n"
    }

    private var apachePlain: String {
        var text = apacheHead + "<ul>"
        if path != "/" { text += "<li><a href=\"\(Self.escaped(parent))\"> Parent Directory</a></li>\n" }
        for entry in entries {
            let reference = Self.reference(entry, unescaped: Self.apacheUnescaped)
            text += "<li><a href=\"\(reference)\"> \(Self.escaped(entry.shownName))</a></li>\n"
        }
        return text + "</ul>\n</body></html>\n"
    }

    private var apacheHead: String {
        let title = path == "/" ? "/" : Self.escaped(String(path.dropLast()))
        return "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">\n<html>\n <head>\n"
            + "  <title>Index of \(title)</title>\n </head>\n <body>\n<h1>Index of \(title)</h1>\n"
    }

    private var lighttpd: String {
        var text = "<!DOCTYPE html>\n<html>\n<head>\n<title>Index of \(title)</title>\n</head>\n<body>\n"
        text += "<h2>Index of \(title)</h2>\n<div class=\"list\">\n<table summary=\"Directory Listing\" "
        text += "cellpadding=\"0\" cellspacing=\"0\">\n<thead><tr><th class=\"n\">Name</th>"
        text += "<th class=\"m\">Last Modified</th><th class=\"s\">Size</th><th class=\"t\">Type</th></tr></thead>\n"
        text += "<tbody>\n"
        if path != "/" {
            text += "<tr class=\"d\"><td class=\"n\"><a href=\"../\">..</a>/</td><td class=\"m\">&nbsp;</td>"
            text += "<td class=\"s\">- &nbsp;</td><td class=\"t\">Directory</td></tr>\n"
        }
        for entry in entries {
            let name = Self.escaped(entry.name.description)
            let reference = Self.reference(entry, unescaped: "-._~")
            text += "<tr\(entry.isDirectory ? " class=\"d\"" : "")><td class=\"n\"><a href=\"\(reference)\">\(name)</a>"
            text += "\(entry.isDirectory ? "/" : "")</td><td class=\"m\">"
            text += Timestamp.formatted(entry.modified, "%Y-%b-%d %H:%M:%S") + "</td><td class=\"s\">"
            text += entry.isDirectory ? "- &nbsp;" : RoundedSize.lighttpd(entry.size)
            text += "</td><td class=\"t\">\(entry.isDirectory ? "Directory" : "application/octet-stream")</td></tr>\n"
        }
        return text + "</tbody>\n</table>\n</div>\n<div class=\"foot\">lighttpd/1.4.69</div>\n</body>\n</html>\n"
    }

    private var python: String {
        var text = "<!DOCTYPE HTML>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        text += "<title>Directory listing for \(title)</title>\n</head>\n<body>\n"
        text += "<h1>Directory listing for \(title)</h1>\n<hr>\n<ul>\n"
        for entry in entries {
            let reference = Self.reference(entry, unescaped: "-._~")
            text += "<li><a href=\"\(reference)\">\(Self.escaped(entry.shownName))</a></li>\n"
        }
        return text + "</ul>\n<hr>\n</body>\n</html>\n"
    }

    private static let apacheUnescaped = "$-_.+!*'(),:@&=~"

    /// The value of href: bytes other than letters, digits and `unescaped` percent-encoded, then escaped for HTML.
    private static func reference(_ entry: Entry, unescaped: String) -> String {
        let plain = Set(unescaped.utf8)
        var text = ""
        for byte in entry.name.bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: text.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where plain.contains(byte): text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        // A colon in the first part would make the rest look like a scheme.
        if text.contains(":") { text = "./" + text }
        return escaped(text) + (entry.isDirectory ? "/" : "")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }

    /// A name cut to a column's width, escaped, and the blanks that fill the column.
    private static func cut(_ name: String, columns: Int, mark: String) -> (shown: String, padding: String) {
        if name.count <= columns { return (escaped(name), String(repeating: " ", count: columns - name.count)) }
        return (escaped(String(name.prefix(columns - 3))) + mark, "")
    }
}

extension HTMLListing.Entry {
    fileprivate var shownName: String { name.description + (isDirectory ? "/" : "") }
}
