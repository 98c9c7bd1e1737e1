package import HTTP

/// A bucket of an S3 server, and how its directories are asked for.
///
/// A bucket has no directories, only keys. Asked with a delimiter, it groups them by what stands before the next slash.
package struct S3Bucket: Hashable, Sendable {
    /// The bucket's own URL, its path ending in "/": of the whole host, or "/BUCKET/" of an endpoint with several.
    package let root: HTTPURL

    /// - Parameter root: the bucket's own URL; a query is dropped.
    package init(root: HTTPURL) {
        self.root = root.replacing(path: root.isDirectory ? root.path : root.path + "/")
    }

    /// The bucket that a URL within it lies in, by the customs of S3 hosts: a label "s3" or "s3-REGION" (or Google's
    /// "storage") with another before it follows the bucket's name. On all other hosts the path's first segment names
    /// the bucket; without a path the host is one.
    package init(containing url: HTTPURL) {
        let labels = url.origin.host.split(separator: ".")
        let endpoint = labels.firstIndex { $0 == "s3" || $0.hasPrefix("s3-") || $0 == "storage" }
        if let endpoint, endpoint > 0 {
            root = url.replacing(path: "/")
        } else {
            let segment = url.path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }
            root = url.replacing(path: segment.isEmpty ? "/" : "/\(segment)/")
        }
    }

    /// The request for the first page of a directory: `ListObjectsV2`, a GET.
    /// - Parameter directory: URL of a directory within the bucket.
    /// - Returns: nil if it does not lie in the bucket.
    package func request(for directory: HTTPURL) -> HTTPURL? {
        let path = directory.path.utf8
        guard directory.origin == root.origin, path.starts(with: root.path.utf8) else {
            return path.elementsEqual(root.path.utf8.dropLast()) ? request(prefix: []) : nil
        }
        var prefix = PercentEncoding.decode(Array(path.dropFirst(root.path.utf8.count))[...])
        if let last = prefix.last, last != UInt8(ascii: "/") { prefix.append(UInt8(ascii: "/")) }
        return request(prefix: prefix)
    }

    /// Keys come encoded, since XML cannot hold all of them.
    func request(prefix: [UInt8], _ more: S3Query.Parameter...) -> HTTPURL {
        let parameters: [S3Query.Parameter] = [
            ("list-type", Array("2".utf8)), ("delimiter", Array("/".utf8)), ("encoding-type", Array("url".utf8)),
            ("prefix", prefix),
        ]
        return root.replacing(path: root.path, query: S3Query.text(parameters + more))
    }
}
