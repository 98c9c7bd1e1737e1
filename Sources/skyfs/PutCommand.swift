import HTTP
import Platform

/// `skyfs put`: sends files without a mount.
struct PutCommand {
    private static let options = [
        ArgumentReader.Option(letter: nil, name: "to", takesValue: true),
        ArgumentReader.Option(letter: nil, name: "field", takesValue: true),
        ArgumentReader.Option(letter: nil, name: "param", takesValue: true),
        ArgumentReader.Option(letter: nil, name: "header", takesValue: true),
        ArgumentReader.Option(letter: nil, name: "success", takesValue: true),
    ]

    let paths: [String]
    let url: HTTPURL
    let form: UploadForm
    private let credentials: Credentials?
    /// Words of the command line that nobody else may read.
    private let secretWords: [String]

    init(_ arguments: [String]) throws(CommandError) {
        var reader = ArgumentReader(arguments, options: Self.options, command: "skyfs put")
        var paths: [String] = []
        var target: String?
        var form = UploadForm()
        var secretWords: [String] = []
        while let word = try reader.next() {
            switch word {
            case .operand(let operand): paths.append(operand)
            case .option("to", let value): target = value
            case .option("field", let value): try form.setFileField(value, from: "--field")
            case .option("success", let value): try form.addSuccess(value, from: "--success")
            case .option("param", let value):
                secretWords.append(value)
                try form.addParameter(value, from: "--param")
            case .option(_, let value):
                secretWords.append(value)
                try form.addHeader(value, from: "--header")
            }
        }
        guard !paths.isEmpty, let target else {
            throw CommandError(.usage, "a FILE and --to URL are needed", advice: "see skyfs put --help")
        }
        self.paths = paths
        self.form = form
        self.secretWords = secretWords
        do {
            guard target.contains("://") else {
                throw URLError.malformed("it does not begin with http:// or https://")
            }
            (url, credentials) = try HTTPURL.parse(target)
        } catch {
            throw CommandError(
                .usage, "--to: not a target: \(SecretMask.shown(target)): \(error)",
                advice: "give the http or https URL that takes uploads")
        }
    }

    func run() throws(CommandError) -> ExitCode {
        if form.hasSecrets || credentials != nil || url.query != nil {
            SecretMask.hideInProcessList(words: secretWords)
        }
        if credentials != nil { Output.error(SecretMask.warning) }
        // A mistake in the last name shall show before the first file has gone up.
        var files: [LocalFile] = []
        for path in paths { files.append(try LocalFile(path)) }
        var configuration = HTTPConfiguration(userAgent: "skyfs/\(Program.version)", log: Log(.nowhere))
        if let credentials { configuration.credentials = [url.origin: credentials] }
        configuration.netrc = try NetrcFile.path(nil)
        let client: HTTPClient
        do { client = try HTTPClient(configuration) } catch {
            throw CommandError(.failure, "cannot start: \(error)")
        }
        defer { client.shutdown() }
        let sender = FileSender(client: client, target: form.target(url))
        var code = ExitCode.success
        for file in files {
            do throws(CommandError) { try sender.send(file) } catch {
                Output.error(error.text)
                if code == .success { code = error.code }
            }
        }
        return code
    }
}
