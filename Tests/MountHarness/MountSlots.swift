/// How many mounts are there at once: the tests mostly wait, but every one of them has a program of its own running.
package actor MountSlots {
    package static let shared = MountSlots(count: 6)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(count: Int) { free = count }

    package func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    package func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
