import Foundation
import Glibc
import MountHarness
import Platform

/// A program of others that takes uploads and stores them under their names, on a free port of 127.0.0.1.
struct UploadReceiver: Sendable {
    enum Kind: CaseIterable, Sendable {
        /// copyparty, from PyPI: its own parser.
        case copyparty
        /// uploadserver, from PyPI: that of Python's `cgi` module.
        case uploadserver
        /// `$_FILES` of PHP in Apache httpd.
        case php
        /// What Flask uses.
        case werkzeug
    }

    let kind: Kind
    let port: Int
    let process: ChildProcess
    /// Where the files are stored.
    let folder: String

    /// The command line of a mount whose files go to this receiver.
    var sources: [String] {
        let url = "drop+http://127.0.0.1:\(port)"
        return switch kind {
        case .copyparty: ["--drop-field", "f", "--drop-param", "act=bput", "\(url)/?j"]
        case .uploadserver: ["--drop-field", "files", "\(url)/upload"]
        case .php: ["--drop-field", "datei", "--drop-param", "album=a b", "\(url)/upload.php"]
        case .werkzeug: ["--drop-param", "album=a b", "\(url)/upload"]
        }
    }

    /// Takes uploads until `stop`.
    /// - Parameter limit: PHP's `upload_max_filesize`; twice that is its `post_max_size`.
    static func start(_ kind: Kind, in scratch: Scratch, limit: String = "64M") async throws -> UploadReceiver {
        let folder = try scratch.directory("stored")
        chmod(folder, 0o777)
        var failure = ""
        // The port is free when it is chosen, and may be taken by another program a moment later.
        for attempt in 0..<5 {
            let port = try LoopbackPort.free()
            let arguments = try arguments(kind, folder: folder, port: port, in: scratch, limit: limit)
            let process = try ChildProcess(
                arguments, environment: Command.environment.merging(["HOME": scratch.path]) { $1 })
            let receiver = UploadReceiver(kind: kind, port: port, process: process, folder: folder)
            let answers = await eventually(within: .seconds(60)) {
                process.exit != nil || LoopbackPort.answers(port)
            }
            if answers, process.exit == nil { return receiver }
            await receiver.stop()
            failure = "attempt \(attempt): \(process.errors) \(scratch.text("error.log"))"
        }
        throw HarnessError("\(kind) does not start: \(failure)")
    }

    func stop() async {
        process.signal(SIGTERM)
        if await process.wait(within: .seconds(15)) == nil {
            process.killGroup()
            _ = await process.wait(within: .seconds(5))
        }
    }

    private static func arguments(
        _ kind: Kind, folder: String, port: Int, in scratch: Scratch, limit: String
    ) throws -> [String] {
        switch kind {
        case .copyparty:
            return [
                try InteropPython.path, "-m", "copyparty", "-q", "-i", "127.0.0.1", "-p", "\(port)", "-v",
                "\(folder)::rw",
                "--no-crt",
            ]
        case .uploadserver:
            return [
                try InteropPython.path, "-m", "uploadserver", "\(port)", "--bind", "127.0.0.1", "--directory", folder,
            ]
        case .php: return try php(folder: folder, port: port, in: scratch, limit: limit)
        case .werkzeug:
            return ["/usr/bin/python3", try scratch.file("receiver.py", werkzeug), folder, "\(port)"]
        }
    }

    private static let werkzeug = """
        import os, sys
        from werkzeug import Request, Response
        from werkzeug.serving import run_simple

        @Request.application
        def application(request):
            file = request.files["file"]
            assert request.form["album"] == "a b"
            file.save(os.path.join(sys.argv[1], file.filename))
            return Response('{"ok": true}', status=201, mimetype="application/json")

        run_simple("127.0.0.1", int(sys.argv[2]), application, threaded=True)

        """

    private static func php(folder: String, port: Int, in scratch: Scratch, limit: String) throws -> [String] {
        let path = scratch.path
        if !FileManager.default.fileExists(atPath: "\(path)/site") {
            _ = try scratch.directory("site")
            chmod(try scratch.directory("uploads"), 0o777)
        }
        try scratch.file(
            "site/upload.php",
            """
            <?php
            header('Content-Type: application/json');
            $file = $_FILES['datei'] ?? null;
            if (!$file || $file['error'] !== 0 || $_POST['album'] !== 'a b') {
                echo json_encode(['error' => 'no file: ' . ($file['error'] ?? 'empty form')]);
                exit;
            }
            move_uploaded_file($file['tmp_name'], '\(folder)/' . $file['name']);
            echo json_encode(['success' => true, 'size' => $file['size']]);

            """)
        let (module, library) = try phpModule()
        let modules = ["mpm_prefork", "authz_core", "dir", "mime"]
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
            LoadModule \(module) \(library)
            \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
            StartServers 2
            ErrorLog "\(path)/error.log"
            TypesConfig /etc/mime.types
            DocumentRoot "\(path)/site"
            <Directory "\(path)/site">
              Require all granted
            </Directory>
            <FilesMatch "\\.php$">
              SetHandler application/x-httpd-php
            </FilesMatch>
            php_admin_value upload_tmp_dir "\(path)/uploads"
            php_admin_value upload_max_filesize "\(limit)"
            php_admin_value post_max_size "\((Int(limit.dropLast()) ?? 64) * 2)M"

            """)
        return ["/usr/sbin/apache2", "-f", file, "-DFOREGROUND"]
    }

    /// The name of the module and its library, whichever version Debian has.
    private static func phpModule() throws -> (String, String) {
        let folder = "/usr/lib/apache2/modules"
        let libraries = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("libphp") }
        guard let library = libraries.max() else { throw HarnessError("no PHP module for Apache: run scripts/setup") }
        return (library.hasPrefix("libphp7") ? "php7_module" : "php_module", "\(folder)/\(library)")
    }
}
