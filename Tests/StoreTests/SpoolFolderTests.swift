import Glibc
import Platform
import Testing

@testable import Store

struct SpoolFolderTests {
    @Test func everythingIsForThisUserOnly() throws {
        let temporary = try TemporaryFolder()
        try temporary.withJournal { journal, folder in
            let file = try folder.create(7)
            try journal.commitAndWait([.put(.plain(7))], syncing: [file])
            #expect(try temporary.mode(temporary.file("")) == 0o700)
            #expect(try temporary.mode(temporary.file("files")) == 0o700)
            for name in ["files/7", "lock", "journal.sqlite", "journal.sqlite-wal"] {
                #expect(try temporary.mode(temporary.file(name)) == 0o600, "\(name)")
            }
        }
    }

    @Test func missingFoldersAreMade() throws {
        let temporary = try TemporaryFolder()
        _ = try SpoolFolder(root: temporary.path + "/a//b/c/", target: "x")
        #expect(try temporary.mode(temporary.path + "/a/b/c") == 0o700)
    }

    @Test func filesAreFoundByNumber() throws {
        try TemporaryFolder.withSpool { temporary, spool throws in
            for number in [3, 1, 12] as [Int64] { try spool.create(number).append([UInt8(number)]) }
            for name in ["files/x", "files/01", "files/+4", "files/.5"] { try temporary.write([], to: name) }
            #expect(try spool.numbers() == [1, 3, 12])
            #expect(try spool.numbers() == [1, 3, 12], "a second time")
            #expect(try spool.open(12).size() == 1)
            spool.remove(3)
            spool.remove(3)
            #expect(try spool.numbers() == [1, 12])
            #expect { try spool.open(3) } throws: { ($0 as? StoreError)?.errno == .noEntry }
            #expect { try spool.create(12) } throws: { ($0 as? StoreError)?.errno == .exists }
            #expect(try spool.open(12).size() == 1, "the file that was there is as it was")
        }
    }

    @Test func aRemovedFileLivesUntilItsLastUser() throws {
        try TemporaryFolder.withSpool { _, spool throws in
            let file = try spool.create(1)
            try file.append([1, 2, 3])
            spool.remove(1)
            #expect(try file.size() == 3)
            #expect(try spool.numbers() == [])
        }
    }

    @Test func oneUserOfATargetAtATime() throws {
        let temporary = try TemporaryFolder()
        do {
            let first = try temporary.spool()
            #expect { try temporary.spool(waitForLock: .zero) } throws: { error in
                guard let error = error as? StoreError else { return false }
                return error.errno == .busy && error.words.contains("in use")
            }
            _ = try SpoolFolder(root: temporary.path, target: "another", waitForLock: .zero)
            withExtendedLifetime(first) {}
        }
        _ = try temporary.spool()
    }

    @Test func theLockIsWaitedFor() throws {
        let temporary = try TemporaryFolder()
        let holder = Condition<SpoolFolder?>(try temporary.spool())
        let isTrying = Condition(false)
        let releasing = try Thread.start(name: "releasing") {
            isTrying.wait(until: { $0 }) { _ in }
            holder.update { $0 = nil }
        }
        isTrying.update { $0 = true }
        _ = try temporary.spool(waitForLock: .seconds(60))
        releasing.join()
    }

    @Test func symbolicLinksAreRefused() throws {
        let temporary = try TemporaryFolder()
        #expect(mkdir(temporary.path + "/real", 0o700) == 0)
        #expect(symlink("real", temporary.path + "/link") == 0)
        #expect { try SpoolFolder(root: temporary.path + "/link", target: "x") } throws: {
            refusal($0, "symbolic link")
        }
        // Also with the slash that would follow it.
        #expect { try SpoolFolder(root: temporary.path + "/link/", target: "x") } throws: {
            refusal($0, "symbolic link")
        }
        #expect(try symlink("real", temporary.file("").trimmed) == 0)
        #expect { try temporary.spool() } throws: { refusal($0, "symbolic link") }
    }

    @Test func linksInsideAreRefused() throws {
        try TemporaryFolder.withSpool { temporary, spool throws in
            #expect(try symlink("/etc/passwd", temporary.file("files/5")) == 0)
            #expect { try spool.open(5) } throws: { ($0 as? StoreError)?.errno == .loop }
            #expect { try spool.create(5) } throws: { ($0 as? StoreError)?.errno == .exists }
            #expect(try symlink("elsewhere", temporary.file("journal.sqlite")) == 0)
            #expect { try UploadJournal(in: spool, log: Log(.nowhere)) } throws: { ($0 as? StoreError)?.errno == .loop }
        }
    }

    @Test func foldersOpenToOthersAreRefused() throws {
        let temporary = try TemporaryFolder()
        #expect(chmod(temporary.path, 0o755) == 0)
        _ = try temporary.spool()
        for mode in [0o775, 0o757, 0o1777] as [mode_t] {
            #expect(chmod(temporary.path, mode) == 0)
            #expect { try temporary.spool() } throws: { refusal($0, "open to other users") }
        }
        #expect(chmod(temporary.path, 0o700) == 0)
        for mode in [0o710, 0o704] as [mode_t] {
            #expect(try chmod(temporary.file(""), mode) == 0)
            #expect { try temporary.spool() } throws: { refusal($0, "open to other users") }
        }
    }

    @Test func foldersOfOthersAreRefused() throws {
        let temporary = try TemporaryFolder()
        let isRoot = geteuid() == 0
        if isRoot { #expect(chown(temporary.path, 65534, 65534) == 0) }
        #expect { try SpoolFolder(root: isRoot ? temporary.path : "/usr", target: "x") } throws: {
            refusal($0, "another user")
        }
    }

    @Test func notAFolderIsRefused() throws {
        let temporary = try TemporaryFolder()
        for root in ["", "/dev/null", "/dev/null/x", temporary.path + "/" + String(repeating: "n", count: 300)] {
            #expect(throws: StoreError.self) { try SpoolFolder(root: root, target: "x") }
        }
    }

    @Test func theRoomOfTheDiskIsTold() throws {
        try TemporaryFolder.withSpool { _, spool throws in
            let statistics = try spool.statistics()
            #expect(statistics.blockSize > 0)
            #expect(statistics.blocks >= statistics.freeBlocks)
            #expect(statistics.freeBlocks >= statistics.availableBlocks)
            #expect(spool.freeBytes > 0)
        }
    }

    private func refusal(_ error: any Error, _ words: String) -> Bool {
        (error as? StoreError)?.words.contains(words) == true
    }
}

extension String {
    /// Without the slash at its end, which would follow a link.
    fileprivate var trimmed: String { hasSuffix("/") ? String(dropLast()) : self }
}
