/// Whether one more request may go to a service that may be asked only so often.
package enum RequestPermission: Hashable, Sendable {
    /// It counts from now on, and must not go out before this time has passed.
    case granted(after: Duration)
    /// So many others wait for their turn that this one would wait too long. It does not count.
    case crowded
    /// As many as are allowed were made this day.
    case exhausted
}
