import Platform

/// Waits for a condition that something else makes true.
/// - Returns: false when it is still not true after `limit`.
package func eventually(
    within limit: Duration = .seconds(20), _ condition: () throws -> Bool
) async rethrows -> Bool {
    let deadline = Instant.now() + limit
    while true {
        if try condition() { return true }
        if Instant.now() > deadline { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
}
