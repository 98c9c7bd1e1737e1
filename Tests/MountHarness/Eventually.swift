import Platform

/// Waits for a condition that something else makes true.
/// - Parameter limit: time in which the machine ran at all, see `ChildProcess.wait`.
/// - Returns: false when it is still not true after `limit`.
package func eventually(
    within limit: Duration = .seconds(20), _ condition: () throws -> Bool
) async rethrows -> Bool {
    var remaining = limit
    var last = Instant.now()
    while true {
        if try condition() { return true }
        if remaining <= .zero { return false }
        try? await Task.sleep(for: .milliseconds(5))
        let now = Instant.now()
        remaining -= min(now - last, .milliseconds(200))
        last = now
    }
}
