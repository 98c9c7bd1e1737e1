import Foundation
import Platform

/// What `.skyfs/status.json` tells of one drop folder.
package struct DropQueue: Decodable, Sendable {
    package struct File: Decodable, Sendable {
        package let path: String
        package let state: String
        package let size: Int64
        package let attempts: Int
        package let words: String?
    }

    package let name: String?
    package let target: String
    /// Open, settling, queued and waiting files.
    package let pending: Int
    package let sending: Int
    package let failed: Int
    package let sent: Int
    /// Why nothing is sent at present, nil if something is.
    package let paused: String?
    /// Files, folders and receipts in memory, with the three fixed folders.
    package let nodes: Int
    package let files: [File]

    package var isEmpty: Bool { pending == 0 && sending == 0 }

    private struct Report: Decodable { let drop: [DropQueue] }

    static func queues(inStatus bytes: [UInt8]) throws -> [DropQueue] {
        try JSONDecoder().decode(Report.self, from: Data(bytes)).drop
    }
}

extension SkyfsMount {
    /// The state of the mount's first drop folder.
    package func dropQueue() async throws -> DropQueue {
        let status = try await bytes(".skyfs/status.json", limit: .seconds(30))
        guard let queue = try DropQueue.queues(inStatus: status).first else {
            throw HarnessError("no drop folder in the status: \(String(decoding: status, as: UTF8.self))")
        }
        return queue
    }

    /// Waits until the state of the first drop folder satisfies.
    /// - Throws: when it does not in time; the message holds the state.
    @discardableResult
    package func dropQueue(
        within limit: Duration = .seconds(120), until isSatisfied: (DropQueue) -> Bool
    ) async throws -> DropQueue {
        let deadline = Instant.now() + limit
        while true {
            let queue = try await dropQueue()
            if isSatisfied(queue) { return queue }
            if Instant.now() > deadline { throw HarnessError("the drop folder's queue stays at \(queue)") }
            try await Task.sleep(for: .milliseconds(30))
        }
    }
}
