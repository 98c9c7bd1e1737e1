import Glibc
import HTTP
import Listings
import Platform

/// The keys of an S3 source, from where Amazon's own tools take them.
enum S3Signing {
    /// - Parameter userinfo: of the source's URL: access key and secret key.
    /// - Returns: nil if nobody gave keys: the bucket is then asked for as one that is open to all.
    static func find(for url: HTTPURL, userinfo: Credentials?) throws(CommandError) -> RequestSigning? {
        let environment = environment()
        let name = environment["AWS_PROFILE"] ?? "default"
        let keys =
            AWSCredentials(environment: environment)
            ?? profile(environment["AWS_SHARED_CREDENTIALS_FILE"], "credentials", name).flatMap { AWSCredentials($0) }
        let region =
            regionInHost(url.origin.host) ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
            ?? profile(environment["AWS_CONFIG_FILE"], "config", name)?["region"] ?? "us-east-1"
        let signing: RequestSigning
        if let userinfo {
            signing = RequestSigning(
                accessKey: userinfo.user, secretKey: userinfo.password, sessionToken: nil, region: region)
        } else if let keys {
            signing = RequestSigning(
                accessKey: keys.accessKey, secretKey: keys.secretKey, sessionToken: keys.sessionToken, region: region)
        } else {
            return nil
        }
        let words = [signing.accessKey, signing.secretKey, signing.sessionToken ?? "", region]
        guard words.allSatisfy({ $0.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }), !region.contains(":") else {
            throw CommandError(
                .usage, "\(url.masked): a key or the region holds a blank or control character",
                advice: "see AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and ~/.aws")
        }
        return signing
    }

    private static func environment() -> [String: String] {
        let names = [
            "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION",
            "AWS_DEFAULT_REGION", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE",
        ]
        return names.reduce(into: [:]) { values, name in
            if let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty { values[name] = value }
        }
    }

    private static func profile(_ path: String?, _ file: String, _ name: String) -> AWSProfile? {
        guard let path = path ?? getenv("HOME").map({ String(cString: $0) + "/.aws/" + file }) else { return nil }
        return FileReading.part(path, offset: 0, count: AWSProfile.maximumSize + 1).flatMap {
            AWSProfile($0, name: name)
        }
    }

    /// "eu-west-1" of `s3.eu-west-1.amazonaws.com`, `BUCKET.s3-eu-west-1.amazonaws.com` and the like.
    static func regionInHost(_ host: String) -> String? {
        guard let end = host.firstRange(of: ".amazonaws.com")?.lowerBound else { return nil }
        let labels = host[..<end].split(separator: ".")
        guard let last = labels.last, last != "s3" else { return nil }
        if last.hasPrefix("s3-") { return String(last.dropFirst(3)) }
        return labels.dropLast().contains { $0 == "s3" || $0 == "dualstack" } ? String(last) : nil
    }
}
