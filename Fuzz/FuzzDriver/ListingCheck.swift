package import Listings
import Platform

/// Fails unless what holds of every listing holds, whatever the answer was.
package func check(_ listing: Listing) {
    for index in 0..<listing.count {
        let entry = listing[index]
        precondition(entry.name.isValid && listing.index(of: entry.name) == index)
        // The host of a whole URL may be in any script.
        precondition(
            entry.reference.utf8.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && ($0 < 0x80 || !entry.reference.hasPrefix("/"))
            })
        precondition(entry.kind != .directory || entry.reference.hasSuffix("/"))
    }
}
