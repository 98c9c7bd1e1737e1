import Platform

/// Something one thread waits for and another makes true, once.
final class Flag: Sendable {
    private let state = Condition(false)

    func set() { state.update { $0 = true } }
    func wait() { state.wait(until: { $0 }) { _ in } }
}
