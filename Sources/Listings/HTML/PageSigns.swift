/// What a page shows of itself besides its entries: whether it is a listing, a login or an error page.
struct PageSigns {
    /// A link to a directory above that says so, preformatted text, or a table with a head.
    private(set) var looksLikeListing = false
    private(set) var asksForPassword = false
    private(set) var isInTitle = false

    private var title: [UInt8] = []
    private var heading: [UInt8] = []
    private var linkText: [UInt8] = []
    private var isInHeading = false
    private var isInAncestorLink = false

    /// Bytes kept of a title, heading or link.
    private static let maximumText = 128

    /// How listings are titled: nginx, Apache, lighttpd ("Index of /pub/"), Python ("Directory listing for /pub/"),
    /// Jetty ("Directory: /pub/").
    private static let titles = ["index of ", "directory listing", "directory: /"]

    /// The title, or else the first heading; for people.
    var caption: String { String(decoding: title.isEmpty ? heading : title, as: UTF8.self) }

    var isTitledAsListing: Bool {
        [title, heading].contains { text in
            let text = String(decoding: text, as: UTF8.self).lowercased()
            return Self.titles.contains { text.hasPrefix($0) }
        }
    }

    /// A title like "404 Not Found", "Error 503" or "HTTP Status 500".
    var isTitledAsError: Bool {
        [title, heading].contains { text in
            let words = String(decoding: text, as: UTF8.self).lowercased().split(separator: " ")
            guard let first = words.first else { return false }
            return first.count == 3 && (400...599).contains(Int(first) ?? 0) || first == "error"
                || words.starts(with: ["http", "status"])
        }
    }

    mutating func start(_ element: HTMLElement) {
        switch element {
        case .title: isInTitle = true
        case .h1, .h2: isInHeading = heading.isEmpty
        case .pre, .th: looksLikeListing = true
        default: break
        }
    }

    mutating func end(_ element: HTMLElement) {
        switch element {
        case .title: isInTitle = false
        case .h1, .h2: isInHeading = false
        case .a:
            if isInAncestorLink, Self.namesParent(linkText) { looksLikeListing = true }
            isInAncestorLink = false
        default: break
        }
    }

    mutating func text(_ text: Span<UInt8>) {
        if isInTitle { Self.append(text, to: &title) }
        if isInHeading { Self.append(text, to: &heading) }
        if isInAncestorLink { Self.append(text, to: &linkText) }
    }

    /// A link to a directory above has begun.
    mutating func ancestorLink() {
        isInAncestorLink = true
        linkText.removeAll()
    }

    mutating func input(type: Span<UInt8>) {
        if String(decoding: type.bytes, as: UTF8.self).lowercased() == "password" { asksForPassword = true }
    }

    /// "Parent Directory", "[To Parent Directory]", "../", "..": a menu's "Home" is no sign.
    private static func namesParent(_ text: [UInt8]) -> Bool {
        let text = String(decoding: text, as: UTF8.self).lowercased()
        return text.contains("parent") || text.hasPrefix("..")
    }

    private static func append(_ text: Span<UInt8>, to collected: inout [UInt8]) {
        for index in text.indices where collected.count < maximumText {
            // A title may begin in a new line.
            if text[index] > 0x20 || (text[index] == 0x20 && !collected.isEmpty) { collected.append(text[index]) }
        }
    }
}
