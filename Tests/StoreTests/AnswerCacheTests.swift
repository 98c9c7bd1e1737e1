import FoundationEssentials
import Glibc
import Platform
import Testing

@testable import Store

struct AnswerCacheTests {
    private let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    private func cache() throws -> AnswerCache { try AnswerCache(folder: temporary.path, log: Log(.nowhere)) }

    @Test func answersAreKept() throws {
        let cache = try cache()
        #expect(try cache.get("上海 北京") == nil)
        let first = CachedAnswer(body: [0, 1, 255], kind: 3, fetched: 77)
        try cache.put("上海 北京", first)
        try cache.put("", CachedAnswer(body: [], fetched: 0))
        #expect(try cache.get("上海 北京") == first)
        #expect(try cache.get("") == CachedAnswer(body: [], fetched: 0))
        // By another process as well.
        let other = try self.cache()
        let second = CachedAnswer(body: Array(repeating: 9, count: 300_000), kind: -1, fetched: 60)
        try other.put("上海 北京", second)
        #expect(try cache.get("上海 北京") == second)
        try cache.remove("上海 北京")
        #expect(try other.get("上海 北京") == nil)
        #expect(try other.get("") != nil)
        #expect(try temporary.mode(temporary.path + "/answers.sqlite") == 0o600)
    }

    @Test func theOldestGoFirst() throws {
        let cache = try cache()
        for number in 0..<AnswerCache.limit {
            try cache.put("\(number)", CachedAnswer(body: [], fetched: Int64(number)))
        }
        #expect(try cache.get("0") != nil)
        try cache.put("new", CachedAnswer(body: [1], fetched: 5000))
        #expect(try cache.get("0") == nil)
        #expect(try cache.get("1") != nil)
        #expect(try cache.get("new") != nil)
    }

    @Test func tooMuchIsRefused() throws {
        let cache = try cache()
        let body = [UInt8](repeating: 1, count: Int(Database.maximumValueSize) + 1)
        #expect { try cache.put("a", CachedAnswer(body: body, fetched: 1)) } throws: {
            ($0 as? StoreError)?.errno == .tooBig
        }
        #expect(try cache.get("a") == nil)
        try cache.put("a", CachedAnswer(body: [1], fetched: 1))
    }

    @Test func damageIsMended() throws {
        try cache().put("a", CachedAnswer(body: [1], fetched: 1))
        try Data([UInt8](repeating: 7, count: 5000)).write(to: URL(filePath: temporary.path + "/answers.sqlite"))
        let cache = try cache()
        #expect(try cache.get("a") == nil)
        try cache.put("a", CachedAnswer(body: [2], fetched: 1))
        #expect(try self.cache().get("a")?.body == [2])
    }

    @Test func anotherVersionIsBegunAnew() throws {
        try cache().put("a", CachedAnswer(body: [1], fetched: 1))
        do {
            let database = try Database(path: temporary.path + "/answers.sqlite")
            try database.run("PRAGMA user_version = 2")
        }
        #expect(try cache().get("a") == nil)
    }
}
