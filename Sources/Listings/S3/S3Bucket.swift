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
            let segment = url.path.dropFirst().prefix { $0 != "/" }
            root = url.replacing(path: segment.isEmpty ? "/" : "/\(segment)/")
        }
    }

    /// The request for the first page of a directory: `ListObjectsV2`, a GET.
    /// - Parameter directory: URL of a directory within the bucket.
    /// - Returns: nil if it does not lie in the bucket.
    package func request(for directory: HTTPURL) -> HTTPURL? {
        let path = (directory.isDirectory ? directory.path : directory.path + "/").utf8
        guard directory.origin == root.origin, path.starts(with: root.path.utf8) else { return nil }
        return request(prefix: PercentEncoding.decode(Array(path.dropFirst(root.path.utf8.count))[...]))
    }

    /// Keys come encoded, since XML cannot hold all of them.
    func request(prefix: [UInt8], continuation: Continuation = .none) -> HTTPURL {
        var parameters: [S3Query.Parameter] = [
            ("delimiter", Array("/".utf8)), ("encoding-type", Array("url".utf8)), ("prefix", prefix),
        ]
        switch continuation {
        case .none: parameters.append(("list-type", Array("2".utf8)))
        case .token(let token): parameters += [("list-type", Array("2".utf8)), ("continuation-token", token)]
        case .marker(let key): parameters.append(("marker", key))
        }
        return root.replacing(path: root.path, query: S3Query.text(parameters))
    }

    /// Where a list goes on.
    enum Continuation {
        case none
        case token([UInt8])
        /// Behind this key: version 1, for servers that answered so.
        case marker([UInt8])
    }
}
