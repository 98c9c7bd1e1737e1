/// The elements of a page that say something about a listing.
enum HTMLElement: String, CaseIterable {
    // Links and what changes them.
    case a, area, link, base, meta
    // What ends a row of the listing.
    case br, hr, li, p, pre, table, ul, ol, dt, dd
    case tr, td, th, time
    case title, h1, h2
    case input, form, script
    case other = ""
}
