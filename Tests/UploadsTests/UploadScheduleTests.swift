import Platform
import SeededRandom
import Testing

@testable import Uploads

struct UploadScheduleTests {
    private func entry(_ at: Int64, _ id: Int64) -> UploadSchedule.Entry {
        .init(at: Instant(nanoseconds: at), id: UploadID(rawValue: id))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func theEarliestTrueEntryComesFirst(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var schedule = UploadSchedule()
        var truth: Set<UploadSchedule.Entry> = []
        for _ in 0..<5000 {
            switch random.next() % 4 {
            case 0, 1:
                let new = entry(Int64(random.next() % 50), Int64(random.next() % 200))
                truth.insert(new)
                schedule.add(new)
            case 2: if let gone = truth.randomElement(using: &random) { truth.remove(gone) }
            default: schedule.compact(live: truth.count) { truth.contains($0) }
            }
            #expect(schedule.first { truth.contains($0) } == truth.min())
        }
    }

    @Test func changesWithoutEndTakeNoMemory() {
        var schedule = UploadSchedule()
        for at in 0..<100_000 {
            schedule.add(entry(Int64(at), 1))
            schedule.compact(live: 1) { $0.at.nanoseconds == Int64(at) }
        }
        #expect(schedule.count < 100)
        for _ in 0..<100_000 {
            schedule.add(entry(7, 1))
            schedule.compact(live: 1) { $0.at.nanoseconds == 7 }
        }
        #expect(schedule.count < 100)
    }
}
