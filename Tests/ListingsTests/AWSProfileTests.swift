import Testing

@testable import Listings

struct AWSProfileTests {
    private func profile(_ text: String, _ name: String = "default") -> AWSProfile? {
        AWSProfile(Array(text.utf8), name: name)
    }

    @Test func keysOfAProfile() throws {
        let text = """
            # kept by a tool
            ; and this
            aws_access_key_id = outside
            [other]
            aws_access_key_id = O
            aws_secret_access_key = P
            [default]\r
            aws_access_key_id=AKIA EXAMPLE\r
            AWS_Secret_Access_Key = wJalr/+XUt=nFEMI#K7;x  \r
            s3 =
              aws_access_key_id = nested
            aws_session_token: t=1
            region =
            """
        let section = try #require(profile(text))
        let credentials = try #require(AWSCredentials(section))
        #expect(credentials.accessKey == "AKIA EXAMPLE")
        #expect(credentials.secretKey == "wJalr/+XUt=nFEMI#K7;x")
        #expect(credentials.sessionToken == "t=1")
        #expect(section["region"] == nil)
        #expect(AWSCredentials(try #require(profile(text, "other")))?.secretKey == "P")
        #expect(profile(text, "third") == nil)
    }

    @Test func sectionsOfTheConfigurationFile() {
        let text = """
            [profile a]
            region = eu-west-1
            [profile "b c"]
            region = us-east-2
            [default]
            region = x
            """
        #expect(profile(text, "a")?["region"] == "eu-west-1")
        #expect(profile(text, "b c")?["region"] == "us-east-2")
        #expect(profile(text)?["region"] == "x")
    }

    @Test func bothKeysAreNeeded() throws {
        #expect(AWSCredentials(try #require(profile("[default]\naws_access_key_id = a"))) == nil)
        #expect(
            AWSCredentials(try #require(profile("[default]\naws_access_key_id = a\naws_secret_access_key ="))) == nil)
    }

    @Test func keysOfTheEnvironment() {
        var environment = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": ""]
        #expect(AWSCredentials(environment: environment)?.secretKey == "s")
        #expect(AWSCredentials(environment: environment)?.sessionToken == nil)
        environment["AWS_SESSION_TOKEN"] = "t"
        #expect(AWSCredentials(environment: environment)?.sessionToken == "t")
        environment["AWS_SECRET_ACCESS_KEY"] = ""
        #expect(AWSCredentials(environment: environment) == nil)
    }

    @Test(arguments: ["", "[", "[]", "[default", "=", "default", "\u{0}[default]"]) func rubbish(text: String) {
        #expect(profile(text) == nil)
    }

    @Test func aLargeFileIsRefused() {
        #expect(profile("[default]\n" + String(repeating: "a=b\n", count: 300_000)) == nil)
    }
}
