import MountHarness

/// Servers that are programs of their own rather than modules of a web server.
extension ServerConfiguration {
    static func caddy(root: String, port: Int, in scratch: Scratch) throws -> [String] {
        let file = try scratch.file(
            "Caddyfile",
            """
            {
              admin off
              auto_https off
              storage file_system "\(scratch.path)/caddy"
            }
            http://127.0.0.1:\(port) {
              root * "\(root)"
              file_server browse
            }

            """)
        return ["caddy", "run", "--adapter", "caddyfile", "--config", file]
    }

    /// - Parameter what: "http" or "webdav".
    static func rclone(_ what: String, root: String, port: Int) -> [String] {
        ["rclone", "serve", what, root, "--addr", "127.0.0.1:\(port)", "--config", "/dev/null"]
    }

    static func copyparty(root: String, port: Int, in scratch: Scratch) throws -> [String] {
        [
            try InteropPython.path, "-m", "copyparty", "-q", "-i", "127.0.0.1", "-p", "\(port)", "-v", "\(root)::r",
            "--hist", "\(scratch.path)/history", "--no-crt",
        ]
    }

    static func wsgidav(root: String, port: Int) throws -> [String] {
        [
            try InteropPython.path, "-m", "wsgidav.server.server_cli", "--host", "127.0.0.1", "--port", "\(port)",
            "--root", root, "--auth", "anonymous", "--no-config", "-q",
        ]
    }

    /// An S3 server in memory with a bucket named `bucket`. Writes an access key and its secret to standard output, in this
    /// order, when it has all files and from when on every request must be signed with them.
    static func moto(root: String, port: Int, in scratch: Scratch) throws -> [String] {
        [try InteropPython.path, try scratch.file("s3-server.py", moto), root, "\(port)"]
    }

    private static let moto = """
        import os, signal, sys
        import boto3
        from moto import settings
        from moto.core.responses import ActionAuthenticatorMixin
        from moto.server import ThreadedMotoServer

        root, port = os.fsencode(sys.argv[1]), int(sys.argv[2])
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
        server.start()

        def client(service):
            return boto3.client(
                service, endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1", aws_access_key_id="any",
                aws_secret_access_key="any")

        s3, iam = client("s3"), client("iam")
        s3.create_bucket(Bucket="bucket")
        for folder, _, names in os.walk(root):
            for path in (os.path.join(folder, name) for name in names):
                key = os.fsdecode(os.path.relpath(path, root))
                with open(path, "rb") as file:
                    s3.put_object(Bucket="bucket", Key=key, Body=file.read())
        iam.create_user(UserName="reader")
        iam.put_user_policy(
            UserName="reader", PolicyName="read",
            PolicyDocument='{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}')
        key = iam.create_access_key(UserName="reader")["AccessKey"]
        ActionAuthenticatorMixin.request_count = 0
        settings.INITIAL_NO_AUTH_ACTION_COUNT = 0.0
        print(key["AccessKeyId"], key["SecretAccessKey"], flush=True)
        signal.pause()

        """
}
