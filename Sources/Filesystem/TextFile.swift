import Fuse
import Platform

/// An open file whose whole content was made when it was opened.
final class TextFile: OpenFile {
    private let content: ContentBuffer

    init(_ bytes: [UInt8]) { content = ContentBuffer(bytes) }

    func read(offset: Int64, size: Int, reply: consuming Reply) {
        guard let slice = content.slice(offset: Int(clamping: offset), count: size) else { return reply.empty() }
        reply.data(slice)
    }

    func release() {}
}
