import Glibc

/// A locked value with a condition variable: threads wait until the value satisfies them.
// SAFETY: `value` is only touched between lock and unlock of `mutex`; both primitives live as long as this object.
package final class Condition<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Changes the value and wakes all who wait for it.
    @discardableResult
    package func update<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        let result = body(&value)
        pthread_mutex_unlock(mutex)
        // After the unlock: a thread woken before it would at once wait for the mutex, and need a second wake-up.
        pthread_cond_broadcast(condition)
        return result
    }

    /// Waits until `isSatisfied`, then runs `body` with the lock still held.
    package func wait<Result>(until isSatisfied: (Value) -> Bool, _ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isSatisfied(value) { pthread_cond_wait(condition, mutex) }
        return body(&value)
    }

    /// The same with a limit.
    /// - Returns: nil if the value did not satisfy before `deadline`.
    package func wait<Result>(
        until isSatisfied: (Value) -> Bool, before deadline: Instant, _ body: (inout Value) -> Result
    ) -> Result? {
        var limit = timespec(
            tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isSatisfied(value) {
            if pthread_cond_timedwait(condition, mutex, &limit) == ETIMEDOUT, !isSatisfied(value) { return nil }
        }
        return body(&value)
    }
}
