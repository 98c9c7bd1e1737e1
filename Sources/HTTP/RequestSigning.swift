/// How the requests to an S3 server are signed: AWS Signature Version 4, which libcurl computes. It signs a query as it is
/// given: sorted, and encoded but for unreserved characters. No description: the keys never reach a message by accident.
package struct RequestSigning: Hashable, Sendable {
    package let accessKey: String
    package let secretKey: String
    /// Of temporary keys.
    package let sessionToken: String?
    /// For example "eu-central-1".
    package let region: String

    package init(accessKey: String, secretKey: String, sessionToken: String?, region: String) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.region = region
    }

    /// `CURLOPT_AWS_SIGV4`
    var provider: String { "aws:amz:\(region):s3" }

    /// What S3 wants to see signed beside the date, which libcurl adds.
    var headers: [(name: String, value: String)] {
        [("x-amz-content-sha256", Self.hashOfNothing)] + (sessionToken.map { [("x-amz-security-token", $0)] } ?? [])
    }

    /// SHA-256 of a body without bytes: all that is signed are GET and HEAD.
    private static let hashOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
}
