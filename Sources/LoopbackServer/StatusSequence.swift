import Platform

/// A resource that fails some times before it answers, counted over all methods.
package struct StatusSequence: Sendable {
    /// The statuses of the first answers, in order.
    package var statuses: [Int]
    /// The value of Retry-After in them, nil for none.
    package var retryAfter: String?
    /// Answers what comes later.
    package var then: Responder

    package init(_ statuses: [Int], retryAfter: String? = nil, then: @escaping Responder) {
        self.statuses = statuses
        self.retryAfter = retryAfter
        self.then = then
    }

    /// A responder that begins the sequence anew.
    package var responder: Responder {
        let asked = Lock(0)
        return { [self] request, connection in
            let number = asked.withLock { count in
                defer { count += 1 }
                return count
            }
            guard number < statuses.count else { return then(request, connection) }
            let headers = retryAfter.map { [("Retry-After", $0)] } ?? []
            return Answer(status: statuses[number], headers: headers)
        }
    }
}
