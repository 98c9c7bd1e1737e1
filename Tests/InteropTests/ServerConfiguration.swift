import Glibc
import MountHarness

/// Writes the configurations of the servers, and gives the command lines that use them.
///
/// All log the request line as it came, in quotation marks, to `access.log` of the scratch directory.
enum ServerConfiguration {
    /// - Parameters:
    ///   - format: of the listing: "html" or "json".
    ///   - isExact: whether its sizes are.
    static func nginx(
        root: String, port: Int, format: String = "html", isExact: Bool = true, in scratch: Scratch
    ) throws -> [String] {
        let path = scratch.path
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(path)/\($0);" }.joined(separator: " ")
        let file = try scratch.file(
            "nginx.conf",
            """
            daemon off;
            worker_processes 1;
            \(getuid() == 0 ? "user root;" : "")
            pid \(path)/nginx.pid;
            error_log \(path)/error.log;
            events { worker_connections 256; }
            http {
              log_format line '"$request" $status "$http_range" $body_bytes_sent';
              access_log \(path)/access.log line;
              default_type application/octet-stream;
              charset utf-8;
              \(temporary)
              server { listen 127.0.0.1:\(port); root "\(root)"; autoindex on; autoindex_format \(format);
                autoindex_exact_size \(isExact ? "on" : "off"); }
            }

            """)
        return ["/usr/sbin/nginx", "-p", path, "-e", "\(path)/error.log", "-c", file]
    }

    /// - Parameter listing: words of IndexOptions.
    static func apache(
        root: String, port: Int, user: (name: String, password: String)? = nil,
        listing: String = "FancyIndexing HTMLTable NameWidth=*", in scratch: Scratch
    ) async throws -> [String] {
        let path = scratch.path
        var modules = ["mpm_event", "authz_core", "autoindex", "dir", "mime", "alias"]
        var login = "Require all granted"
        if let user {
            modules += ["authn_core", "authn_file", "authz_user", "auth_digest"]
            let hash = try await Command.run(
                ["bash", "-c", "printf %s \"$1\" | md5sum | cut -c1-32", "bash", "\(user.name):skyfs:\(user.password)"])
            try scratch.file("users", "\(user.name):skyfs:\(hash.lines.first ?? "")\n")
            login = """
                AuthType Digest
                AuthName skyfs
                AuthUserFile "\(path)/users"
                Require valid-user
                """
        }
        let loading = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        let file = try scratch.file(
            "apache.conf",
            """
            ServerRoot "\(path)"
            ServerName 127.0.0.1
            Listen 127.0.0.1:\(port)
            PidFile "\(path)/apache.pid"
            DefaultRuntimeDir "\(path)"
            \(loading.joined(separator: "\n"))
            \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
            StartServers 1
            ErrorLog "\(path)/error.log"
            LogFormat "\\"%r\\" %>s \\"%{Range}i\\" %B" line
            CustomLog "\(path)/access.log" line
            TypesConfig /etc/mime.types
            DocumentRoot "\(root)"
            <Directory "\(root)">
              Options +Indexes
              IndexOptions \(listing) Charset=UTF-8
              DefaultIcon /icons/unknown.gif
              \(login)
            </Directory>

            """)
        return ["/usr/sbin/apache2", "-f", file, "-DFOREGROUND"]
    }

    /// WebDAV, and no listings for people.
    static func apacheWebDAV(root: String, port: Int, in scratch: Scratch) throws -> [String] {
        let path = scratch.path
        let loading = ["mpm_event", "authz_core", "autoindex", "dir", "dav", "dav_fs", "mime"]
            .map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        let file = try scratch.file(
            "apache.conf",
            """
            ServerRoot "\(path)"
            ServerName 127.0.0.1
            Listen 127.0.0.1:\(port)
            PidFile "\(path)/apache.pid"
            DefaultRuntimeDir "\(path)"
            \(loading.joined(separator: "\n"))
            \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
            StartServers 1
            ErrorLog "\(path)/error.log"
            TypesConfig /etc/mime.types
            DocumentRoot "\(root)"
            DavLockDB "\(path)/locks"
            <Directory "\(root)">
              Options -Indexes
              Dav On
              Require all granted
            </Directory>

            """)
        return ["/usr/sbin/apache2", "-f", file, "-DFOREGROUND"]
    }

    static func lighttpd(root: String, port: Int, in scratch: Scratch) throws -> [String] {
        let path = scratch.path
        let file = try scratch.file(
            "lighttpd.conf",
            """
            server.modules = ("mod_dirlisting", "mod_accesslog")
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.document-root = "\(root)"
            server.errorlog = "\(path)/error.log"
            accesslog.filename = "\(path)/access.log"
            accesslog.format = "\\"%r\\" %s \\"%{Range}i\\" %b"
            dir-listing.activate = "enable"
            dir-listing.encoding = "utf-8"
            dir-listing.hide-dotfiles = "disable"

            """)
        return ["/usr/sbin/lighttpd", "-D", "-f", file]
    }
}
