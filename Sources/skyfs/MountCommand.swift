import Glibc
import Platform

/// `skyfs mount`, and `mount.skyfs` as mount(8) calls it.
struct MountCommand {
    private(set) var request = MountRequest()
    /// A user name stands in a URL on the command line, where all users see it.
    private(set) var showsCredentials = false
    /// mount(8) only wants to know what would be done.
    private(set) var isFake = false

    private static let options = [
        ArgumentReader.Option(letter: "f", name: "foreground"),
        ArgumentReader.Option(letter: "o", name: "options", takesValue: true),
        ArgumentReader.Option(letter: "c", name: "config", takesValue: true),
        ArgumentReader.Option(letter: nil, name: "drop-field", takesValue: true),
        ArgumentReader.Option(letter: nil, name: "drop-param", takesValue: true),
        ArgumentReader.Option(letter: nil, name: "drop-path-field", takesValue: true),
    ]

    /// Words of the command line that nobody else may read.
    private var secretWords: [String] = []

    init(_ arguments: [String]) throws(CommandError) {
        var reader = ArgumentReader(arguments, options: Self.options, command: "skyfs mount")
        var operands: [String] = []
        var options: [String] = []
        var config: String?
        var form: UploadForm?
        while let word = try reader.next() {
            switch word {
            case .option("foreground", _): request.isForeground = true
            case .option("options", let value): options += Self.split(value)
            case .option("config", let value): config = value
            case .option(let name, let value):
                form = try Self.adding(name, value, to: form ?? UploadForm())
                if name == "drop-param" { secretWords.append(value) }
            case .operand(let operand): operands.append(operand)
            }
        }
        guard operands.count >= (config == nil ? 2 : 1), let mountPoint = operands.popLast() else {
            throw CommandError(.usage, "a SOURCE and a MOUNTPOINT are needed", advice: "see skyfs mount --help")
        }
        request.mountPoint = mountPoint
        for source in operands { try request.add(source) }
        showsCredentials = request.hasCredentials
        if let form {
            guard request.hasDropFolder else {
                throw CommandError(
                    .usage, "--drop-field, --drop-param, --drop-path-field: no drop folder among the sources",
                    advice: "write drop+URL for one; in a configuration file its keys are field, params, pathField")
            }
            request.setForm(form)
        }
        if let config { try ConfigFile(path: config).add(to: &request) }
        // After those of the file: the last of two equal ones wins.
        request.options += options
    }

    private static func adding(
        _ option: String, _ value: String, to form: UploadForm
    ) throws(CommandError) -> UploadForm {
        var form = form
        switch option {
        case "drop-field": try form.setFileField(value, from: "--\(option)")
        case "drop-path-field": try form.setPathField(value, from: "--\(option)")
        default: try form.addParameter(value, from: "--\(option)")
        }
        return form
    }

    /// As mount(8) calls it: `mount.skyfs SOURCE MOUNTPOINT [-sfnv] [-N NAMESPACE] [-o OPTIONS] [-t TYPE.SUBTYPE]`
    init(helperArguments arguments: [String]) throws(CommandError) {
        let options = [
            ArgumentReader.Option(letter: "s", name: "sloppy"), ArgumentReader.Option(letter: "f", name: "fake"),
            ArgumentReader.Option(letter: "n", name: "no-mtab"), ArgumentReader.Option(letter: "v", name: "verbose"),
            ArgumentReader.Option(letter: "N", name: "namespace", takesValue: true),
            ArgumentReader.Option(letter: "t", name: "types", takesValue: true),
            ArgumentReader.Option(letter: "o", name: "options", takesValue: true),
        ]
        var reader = ArgumentReader(arguments, options: options, command: "skyfs mount")
        var words: [String] = []
        var isFake = false
        while let word = try reader.next() {
            switch word {
            case .option("fake", _): isFake = true
            case .option("options", let value): words += ["-o", value]
            case .option: break
            case .operand(let operand): words.append(operand)
            }
        }
        try self.init(words)
        self.isFake = isFake
    }

    func run() throws(CommandError) -> ExitCode {
        if request.hasSecrets { SecretMask.hideInProcessList(words: secretWords) }
        if showsCredentials { Output.error(SecretMask.warning) }
        try request.check()
        var settings = MountSettings()
        for option in request.options { try MountOption.apply(option, to: &settings) }
        try settings.check(request)
        if isFake { return .success }
        var request = request
        request.mountPoint = try MountPointCheck(request.mountPoint, allowsNonEmpty: settings.allowsNonEmpty).path
        try settings.checkFolders(request, mountPoint: request.mountPoint)
        if request.isForeground, !request.hasSecrets { return try MountedSession(request).run(ready: { true }) }
        return try Worker.start(request)
    }

    /// Commas separate options; a backslash keeps one.
    static func split(_ text: String) -> [String] {
        var words = [""]
        var isEscaped = false
        for character in text {
            if isEscaped || (character != "," && character != "\\") {
                words[words.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                words.append("")
            }
        }
        return words.filter { !$0.isEmpty }
    }
}
