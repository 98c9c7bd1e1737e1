import HTTP
import Testing

@testable import Listings

struct S3BucketTests {
    @Test(arguments: [
        ("https://s3.amazonaws.com/b/x/", "https://s3.amazonaws.com/b/"),
        ("https://s3.eu-west-1.amazonaws.com/b", "https://s3.eu-west-1.amazonaws.com/b/"),
        ("https://s3-us-west-2.amazonaws.com/b/x/", "https://s3-us-west-2.amazonaws.com/b/"),
        ("https://b.s3.amazonaws.com/x/y/", "https://b.s3.amazonaws.com/"),
        ("https://b.with.dots.s3.eu-central-1.amazonaws.com/x", "https://b.with.dots.s3.eu-central-1.amazonaws.com/"),
        ("https://b.s3-us-west-2.amazonaws.com/x", "https://b.s3-us-west-2.amazonaws.com/"),
        ("https://storage.googleapis.com/b/x/", "https://storage.googleapis.com/b/"),
        ("https://b.storage.googleapis.com/x/", "https://b.storage.googleapis.com/"),
        ("https://b.s3.wasabisys.com/x/", "https://b.s3.wasabisys.com/"),
        ("http://127.0.0.1:9000/b/x/", "http://127.0.0.1:9000/b/"),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9000/"),
        ("http://minio/b/?x=1", "http://minio/b/"),
    ]) func theBucketOfAURL(url: String, root: String) throws {
        #expect(S3Bucket(containing: try HTTPURL.parse(url).url).root.text == root)
    }

    @Test(arguments: [
        ("http://h/b", "/b/?delimiter=%2F&encoding-type=url&list-type=2&prefix="),
        ("http://h/b/", "/b/?delimiter=%2F&encoding-type=url&list-type=2&prefix="),
        ("http://h/b/x y/", "/b/?delimiter=%2F&encoding-type=url&list-type=2&prefix=x%20y%2F"),
        ("http://h/b/x", "/b/?delimiter=%2F&encoding-type=url&list-type=2&prefix=x%2F"),
        (
            "http://h/b/a+b;c/%2F!'()*~/",
            "/b/?delimiter=%2F&encoding-type=url&list-type=2&prefix=a%2Bb%3Bc%2F%2F%21%27%28%29%2A~%2F"
        ),
        ("http://h/b/%E9/", "/b/?delimiter=%2F&encoding-type=url&list-type=2&prefix=%E9%2F"),
    ]) func requests(url: String, target: String) throws {
        let bucket = S3Bucket(root: try HTTPURL.parse("http://h/b").url)
        #expect(bucket.request(for: try HTTPURL.parse(url).url)?.target == target)
    }

    @Test(arguments: ["http://h/", "http://h/bb/", "http://other/b/", "https://h/b/"])
    func whatLiesElsewhereIsNotAskedFor(url: String) throws {
        let bucket = S3Bucket(root: try HTTPURL.parse("http://h/b/").url)
        #expect(bucket.request(for: try HTTPURL.parse(url).url) == nil)
    }

    @Test func parametersOfAQuery() throws {
        let parameters = S3Query.parameters(of: try HTTPURL.parse("http://h/?prefix=a%2Fb+c&acl&x=1=2&&").url)
        #expect(parameters.map(\.name) == ["prefix", "acl", "x"])
        #expect(parameters.map { String(decoding: $0.value, as: UTF8.self) } == ["a/b+c", "", "1=2"])
    }
}
