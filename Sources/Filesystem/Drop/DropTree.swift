import Platform
import Uploads

/// Names and folders of one drop folder. Pure; whoever owns it guards it.
///
/// Three folders are always there: the root, `sent` with the receipts and `failed` with what was set aside.
struct DropTree: Sendable {
    static let root: Int64 = 1
    static let sent: Int64 = 2
    static let failed: Int64 = 3
    /// Numbers below are kept for the fixed folders.
    static let firstNumber: Int64 = 16
    /// What nodes and versions can have. No mount makes so many that the rest is missed.
    static let numbers = firstNumber..<1 << 46
    /// Folders in folders. More would only be an attack on whoever walks the tree.
    static let maximumDepth = 64

    /// Which part of the tree a node lies in.
    enum Zone { case drop, sent, failed, gone }

    private(set) var nodes: [Int64: DropNode] = [:]
    private var children: [Int64: [FileName: Int64]] = [:]

    init(now: Int64) {
        for number in [Self.root, Self.sent, Self.failed] {
            nodes[number] = DropNode(parent: nil, name: "", content: .folder, permissions: 0o777, modified: now)
        }
        link(Self.sent, in: Self.root, as: "sent")
        link(Self.failed, in: Self.root, as: "failed")
    }

    static func isFixed(_ number: Int64) -> Bool { number < firstNumber }

    subscript(number: Int64) -> DropNode? {
        get { nodes[number] }
        set { nodes[number] = newValue }
    }

    /// Changes a file; nothing happens if there is no such file.
    /// - Returns: what `body` returns, nil without a file.
    @discardableResult
    mutating func withFile<Result>(_ number: Int64, _ body: (inout DropFile) -> Result) -> Result? {
        guard var node = nodes[number], case .file(var file) = node.content else { return nil }
        let result = body(&file)
        node.content = .file(file)
        nodes[number] = node
        return result
    }

    func child(_ name: FileName, of folder: Int64) -> Int64? { children[folder]?[name] }

    func children(of folder: Int64) -> [FileName: Int64] { children[folder] ?? [:] }

    mutating func insert(_ number: Int64, _ node: DropNode, in folder: Int64) {
        nodes[number] = node
        link(number, in: folder, as: node.name)
    }

    /// Takes a node out of its folder. It stays known until `removeIfUnused`.
    mutating func detach(_ number: Int64) {
        guard let node = nodes[number], let parent = node.parent else { return }
        children[parent]?[node.name] = nil
        nodes[number]?.parent = nil
    }

    mutating func move(_ number: Int64, to folder: Int64, as name: FileName) {
        detach(number)
        link(number, in: folder, as: name)
    }

    /// Forgets a detached node that nobody has open and the kernel does not know; of one that the kernel still knows, what
    /// it holds. The kernel may remember a file for as long as it likes after that has gone up.
    /// - Returns: whether it is gone now.
    mutating func removeIfUnused(_ number: Int64) -> Bool {
        guard !Self.isFixed(number), let node = nodes[number], node.parent == nil, node.openHandles == 0 else {
            return false
        }
        guard node.lookups == 0 else {
            if !node.isFolder { nodes[number]?.content = .gone }
            return false
        }
        nodes[number] = nil
        children[number] = nil
        return true
    }

    /// Removes a folder, and the ones above it, as long as they are empty. The fixed ones stay.
    mutating func removeEmptyFolders(from folder: Int64) {
        var folder = folder
        while !Self.isFixed(folder), children(of: folder).isEmpty, let parent = nodes[folder]?.parent {
            detach(folder)
            _ = removeIfUnused(folder)
            folder = parent
        }
    }

    private mutating func link(_ number: Int64, in folder: Int64, as name: FileName) {
        children[folder, default: [:]][name] = number
        nodes[number]?.parent = folder
        nodes[number]?.name = name
    }

    func zone(of number: Int64) -> Zone {
        switch chain(number).last {
        case nil: .gone
        case Self.sent: .sent
        case Self.failed: .failed
        case Self.root: .drop
        default: .gone
        }
    }

    /// Why the bytes of a file cannot be changed; nil if they can.
    func changeError(_ number: Int64) -> Errno? {
        // What was set aside is only kept: changing it would make it another file than the one that failed.
        if zone(of: number) == .failed { return .access }
        // The kernel then looks the name up once more, and finds that it is free.
        return nodes[number]?.file?.isDelivered == true ? .stale : nil
    }

    /// The node and the folders above it, nearest first, up to one of the three fixed folders; empty if it is detached.
    private func chain(_ number: Int64) -> [Int64] {
        var result: [Int64] = [number]
        var current = number
        while !Self.isFixed(current) {
            guard result.count <= Self.maximumDepth + 1, let parent = nodes[current]?.parent else { return [] }
            result.append(parent)
            current = parent
        }
        return result
    }

    /// Folders between the zone's top and the node: 1 for a node right in it, 0 for the top itself.
    func depth(_ number: Int64) -> Int { max(chain(number).count - 1, 0) }

    /// Folders from this one down to the deepest below it: 1 for one without folders, 0 for a file.
    func height(_ number: Int64) -> Int {
        guard nodes[number]?.isFolder == true else { return 0 }
        return 1 + (children(of: number).values.map(height).max() ?? 0)
    }

    /// Whether `number` is `folder` or lies below it.
    func isInside(_ number: Int64, _ folder: Int64) -> Bool { chain(number).contains(folder) }

    /// Names of the folders from the zone's top down to the one that holds the node.
    func folders(above number: Int64) -> [FileName] {
        chain(number).dropFirst().dropLast().reversed().compactMap { nodes[$0]?.name }
    }

    /// Whether a file's name and place are ones that go up: nothing below a folder such as `.git` does.
    func isCandidate(_ number: Int64) -> Bool {
        guard let node = nodes[number] else { return false }
        return UploadNames.isCandidate(node.name.description)
            && !folders(above: number).contains { UploadNames.isHidden($0.description) }
    }

    /// For people and form fields: `folder/name`, from the zone's top.
    func path(of number: Int64) -> String {
        (folders(above: number) + [nodes[number]?.name ?? ""]).map(\.description).joined(separator: "/")
    }

    /// What tells where a file belongs if only its bytes are left; at least its name.
    func note(of number: Int64) -> String {
        let path = path(of: number)
        return path.utf8.count <= Self.longestNote ? path : nodes[number]?.name.description ?? ""
    }

    /// Bytes. File systems keep little more for all such notes of a file (ext4: 4 KiB).
    private static let longestNote = 2048

    /// The name, or one like it that is free in the folder, for a file and the text of its failure.
    func freeName(_ name: FileName, in folder: Int64) -> FileName {
        FileName(ReceiptNames.failed(name.description) { child(FileName($0), of: folder) != nil })
    }

    /// The files in all folders, oldest first, for reports.
    func files(limit: Int) -> [Int64] {
        let numbers = nodes.lazy.filter { $0.value.file != nil && $0.value.parent != nil }.map(\.key)
        return Array(numbers.sorted().prefix(limit))
    }
}
