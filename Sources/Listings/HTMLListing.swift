import HTTP
import Platform

/// Reads the directory listings that web servers print as HTML.
enum HTMLListing {
    /// - Parameter isCertain: whether the URL itself says that this is a directory, so that any page with entries counts.
    static func parse(
        _ page: [UInt8], charset: String?, url: HTTPURL, allowsExternalLinks: Bool, isCertain: Bool
    ) throws(ListingError) -> Listing {
        guard page.contains(where: { $0 > 0x20 }) else { return Listing(entries: []) }
        let document = try HTMLAnchors(page)
        let resolver = LinkResolver(
            url: url, base: document.base, charset: charset, allowsExternalLinks: allowsExternalLinks)
        var rows: [(link: LinkResolver.Link, index: Int)] = []
        rows.reserveCapacity(document.anchors.count)
        for (index, anchor) in document.anchors.enumerated() { rows.append((resolver.resolve(anchor.href), index)) }

        let hasAncestor = rows.contains { if case .ancestor = $0.link { true } else { false } }
        let hasEntries = rows.contains { if case .child = $0.link { true } else { false } }
        let says = document.saysListing
        if isCertain {
            let isEmptyListing =
                says || hasAncestor || document.hasPreformatted || (document.hasTable && !document.hasForm)
            guard hasEntries || isEmptyListing else {
                throw .notAListing("an HTML page titled \"\(document.titleText)\" without entries")
            }
        } else {
            guard says || (hasAncestor && hasEntries) else {
                throw .notAListing("an HTML page titled \"\(document.titleText)\"")
            }
        }
        return listing(document, rows)
    }

    private static func listing(_ document: HTMLAnchors, _ rows: [(link: LinkResolver.Link, index: Int)]) -> Listing {
        let isBefore = document.printsDetailsBeforeLinks
        var listing = Listing(entries: [])
        for (link, index) in rows {
            switch link {
            case .child(let name, let reference, let isDirectory):
                let text =
                    isBefore
                    ? (index == 0 ? document.textBefore : document.anchors[index - 1].textAfter)
                    : document.anchors[index].textAfter
                let details = RowDetails(text, isBefore: isBefore)
                listing.add(
                    ListingEntry(
                        name: name, reference: reference,
                        kind: isDirectory || details.saysDirectory ? .directory : .file,
                        size: isDirectory ? .unknown : details.size, modified: details.modified))
            case .unusable: listing.skipped += 1
            case .ancestor, .other: break
            }
        }
        distrustZeroes(in: &listing)
        return listing
    }

    /// A list in which every size is 0 and no date is real tells nothing about its entries, not even which are directories.
    private static func distrustZeroes(in listing: inout Listing) {
        var files = 0
        for index in 0..<listing.count where listing[index].kind == .file {
            guard listing[index].size == .exact(0), listing[index].modified == nil else { return }
            files += 1
        }
        guard files > 0 else { return }
        listing.updateAll { kind, size, _ in
            if kind == .file { (kind, size) = (.unknown, .unknown) }
        }
    }
}

extension HTMLAnchors {
    fileprivate var titleText: String { String(String(decoding: title, as: UTF8.self).prefix(80)) }

    /// The words that servers put above a listing.
    fileprivate var saysListing: Bool {
        let text = String(decoding: title, as: UTF8.self).lowercased()
        return ["index of", "directory listing", "listing of", "directory: "].contains { text.contains($0) }
    }

    /// IIS prints date and size before each link; everybody else after it.
    fileprivate var printsDetailsBeforeLinks: Bool {
        guard let last = anchors.last, !RowDetails(last.textAfter, isBefore: false).hasDate else { return false }
        if RowDetails(textBefore, isBefore: true).hasDetails { return true }
        return anchors.count > 1 && RowDetails(anchors[0].textAfter, isBefore: true).hasDetails
            && !RowDetails(last.textAfter, isBefore: false).hasDetails
    }
}
