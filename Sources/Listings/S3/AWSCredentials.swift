/// Keys that sign requests to an S3 server. No description: they never reach a message by accident.
package struct AWSCredentials: Hashable, Sendable {
    package let accessKey: String
    package let secretKey: String
    /// Of temporary keys.
    package let sessionToken: String?

    /// - Returns: nil if the values do not name both keys.
    /// - Parameter value: gives the value of `aws_access_key_id` and so on, in lower case.
    private init?(_ value: (String) -> String?) {
        guard let accessKey = value("aws_access_key_id"), let secretKey = value("aws_secret_access_key") else {
            return nil
        }
        self.accessKey = accessKey
        self.secretKey = secretKey
        sessionToken = value("aws_session_token")
    }

    /// From `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
    package init?(environment: [String: String]) {
        self.init { name in environment[name.uppercased()].flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// From one section of a credentials file.
    package init?(_ section: AWSProfile) { self.init { section[$0] } }
}
