package import Glibc

/// A value that is only reachable while its mutex is held.
///
/// A pthread mutex instead of `Synchronization.Mutex`: it is faster when contended, and the thread sanitizer knows it.
// SAFETY: `value` is only touched between lock and unlock of `mutex`, which lives as long as this object.
package final class Lock<Value>: @unchecked Sendable {
    @usableFromInline package var value: Value
    @usableFromInline package let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the lock held. Never call out of the type (reply, log, start I/O) from inside.
    // Inlinable, so that a step under the lock of the read path is specialised where it is called.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
