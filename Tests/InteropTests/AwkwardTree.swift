import Glibc
import MountHarness
import Platform

/// Three hundred files whose names and sizes some server, page, browser or shell gets wrong.
///
/// Names that mean something to servers (`index.html`, `.htaccess`) are not among them. Paths are bytes: equal strings of Swift
/// may be different names.
struct AwkwardTree {
    /// Below the directory that is served, by path.
    let files: [[UInt8]: [UInt8]]

    init() {
        var files: [[UInt8]: [UInt8]] = [:]
        for path in Self.paths.map({ Array($0.utf8) }) + Self.foreign {
            files[path] = Self.bytes(count: Self.size(files.count), seed: files.count)
        }
        self.files = files
    }

    /// Writes the files, and the directories they are in.
    /// - Parameter isWanted: whether a file is to be there, by path.
    func write(below root: String, in scratch: Scratch, where isWanted: ([UInt8]) -> Bool) throws {
        for directory in Self.directories { _ = try scratch.directory("\(root)/\(directory)") }
        for (path, bytes) in files where isWanted(path) {
            let descriptor = open(
                Array("\(scratch.path)/\(root)/".utf8CString.dropLast()) + path.map(CChar.init(bitPattern:)) + [0],
                O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw Errno.current }
            let count = Glibc.write(descriptor, bytes, bytes.count)
            close(descriptor)
            guard count == bytes.count else { throw HarnessError("\(count) of \(bytes.count) bytes written") }
        }
    }

    /// Around the borders where listings begin to round, and one that takes more than one read.
    private static func size(_ number: Int) -> Int {
        let borders = [0, 1, 9, 10, 999, 1000, 1001, 1023, 1024, 1025, 10_239, 10_240, 102_399, 300_007]
        return number < borders.count ? borders[number] : number * 37 % 4999
    }

    private static func bytes(count: Int, seed: Int) -> [UInt8] {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    private static let directories = [
        "sub dir", "50%", "d%2Fe", "c#d", "what?", "e+f", "g&h=i", "semi;colon", "quo\"te", "it's", "back\\slash",
        "colon:dir", "中文 目录", "😀", "cafe\u{301}", "caf\u{E9}", "(1) [2] {3}", "~tilde", "dir.html", "ends with dot.",
        "<b>", "@", "-", ".dir", "deep", "deep/%25", "deep/%25/ #?",
    ]

    /// Names that are not UTF-8: of Latin-1, GBK, and broken ones.
    static let foreign: [[UInt8]] = [
        Array("caf".utf8) + [0xE9], [0xB1, 0xA8, 0xB8, 0xE6] + Array(".gbk".utf8), [0xFF] + Array(".bin".utf8),
        Array("cut ".utf8) + [0xE4, 0xB8],
    ]

    private static let paths: [String] = {
        // Every sign of ASCII that is neither a letter nor a digit, within, in front and behind.
        let signs = (0x20...0x7E as ClosedRange<UInt8>).map { Character(Unicode.Scalar($0)) }
            .filter { !$0.isLetter && !$0.isNumber && $0 != "/" }
        var paths = signs.flatMap { ["in\($0)side.txt", "\($0)front", "behind\($0)"] }
        paths += signs.map { "汉\($0)\($0)字\($0)" }
        paths += directories.flatMap { ["\($0)/a file", "\($0)/%41+#?.txt"] }
        paths += [
            // What looks like an escape.
            "a%2Fb", "a%2fb", "%2e%2e", "%00", "100%", "%", "%%", "%zz", "%4", "x%20y", "x%2520y", "%E4%B8%AD", "%FF",
            "&amp;", "&#47;", "&lt;b&gt;", "a&ampb", "&nbsp;", "\\x41", "\\u0041", "$(date)", "`id`", "%s%n", "{{x}}",
            // What looks like a link of another kind, or like words of the page.
            "http:x", "http:,,host,x", "mailto:me", "javascript:x", "?C=N;O=D", "?x=1", "#top", "C:", "c:x", "a:b:c",
            "a.b:8080", "...", "..a", ".hidden", ". .", "..%2F..", "CON", "$HOME", "Parent Directory", "Name", "Size",
            "Last modified", "1970-01-01 00:00", "12K", "-1", "0", "x 1.2M", "[DIR]", "<a href=\"x\">x<",
            "<!-- x",
            "-->", "]]>", "<?xml", "a,b;q=1", "*", "null", "true", "[]", "{\"a\":1}",
            // Blanks.
            " x ", "  two  blanks  ", "x ", " ", "tab\there", "a\u{A0}b", "a\u{3000}b", "line\nbreak", "\rreturn",
            // Other scripts, and pairs that look alike.
            "报告 2026.txt", "日本語", "кириллица", "العربية", "עברית", "ไทย", "한국어", "n\u{303}", "\u{F1}", "\u{212B}",
            "\u{C5}", "I\u{307}", "ﬁ ligature", "ß", "SS", "case", "Case", "CASE", "😀 emoji", "👨‍👩‍👧‍👦", "🇩🇪", "\u{200B}zero",
            "\u{202E}gnp.exe", "\u{FEFF}bom", "\u{FFFD}", "\u{E000}private", "\u{10FFFF}",
            // Long ones: 255 bytes of a letter, of three-byte signs, of signs that are escaped.
            String(repeating: "l", count: 255), String(repeating: "长", count: 85), String(repeating: "%", count: 255),
            String(repeating: "a b&", count: 63) + "end", String(repeating: "😀", count: 63) + "end",
            // Endings that servers serve in their own way.
            "a.html", "a.php", "a.gz", "a.tar.gz", "a.css", "a.svg", "a.xml", "a.json", "a.md", "a.txt.",
        ]
        return paths
    }()
}
