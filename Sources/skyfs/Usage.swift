/// The help texts.
enum Usage {
    static let summary = """
        usage: skyfs mount SOURCE MOUNTPOINT [-o OPTIONS] [-f]
               skyfs unmount MOUNTPOINT
               skyfs status MOUNTPOINT [--json] [--watch]
               skyfs wait MOUNTPOINT
               skyfs put FILE... --to URL
               skyfs flights FROM TO DATE [--json|--csv]
               skyfs demo [MOUNTPOINT]
               skyfs --help | --version

        """

    static var all: String {
        summary + """

            Mounts files and directories of web servers for reading, folders whose files go up to a server, and flights as
            directories.

            commands:
              mount     show a remote file or directory at a local path
              unmount   take a mount away
              status    what a mount does: sources, transfers, memory, uploads
              wait      return once a mount has nothing left to send
              put       send files to a server, without a mount
              flights   ask for the flights between two cities on one day, without a mount
              demo      try it with a server of its own

            'skyfs COMMAND --help' tells more.

            exit codes:
               0 success                         5 the server cannot be reached
               1 failure of another kind         6 the source is not a listing
               2 wrong command line              7 the mount point cannot be used
               3 the source does not exist       8 no /dev/fuse or no permission
               4 the server denied access        9 the mount is busy
              10 the service was asked too often

            """
    }

    static func command(_ name: String) -> String? {
        switch name {
        case "mount": mount
        case "unmount", "umount":
            """
            usage: skyfs unmount MOUNTPOINT [--now]

            Takes the mount away once nothing is left to send in its drop folders. One that is in use stays as it is.

              --now     do not wait: what was not sent is kept and goes up once the same target is mounted again

            """
        case "status":
            """
            usage: skyfs status MOUNTPOINT [--json] [--watch]

              --json    for programs
              --watch   again every second, until the mount ends or Ctrl-C

            """
        case "wait":
            """
            usage: skyfs wait MOUNTPOINT

            Returns once nothing is left to send in the drop folders of the mount. The exit code is 1 if files lie in
            their failed/ folders.

            """
        case "put":
            """
            usage: skyfs put FILE... --to URL [--field NAME] [--param NAME=VALUE]... [--header 'NAME: VALUE']...
                                              [--success RULE]...

            Sends each FILE to the http or https URL as a form (multipart/form-data).

              --field NAME            form field that holds the file [file]
              --param NAME=VALUE      text field to send before the file
              --header 'NAME: VALUE'  header of the request
              --success status=N      this status counts as success too, besides 2xx
              --success json=FIELD    this field of a JSON answer has to be true
              --success text=WORDS    these words have to be in the answer

            User name and password come from ~/.netrc. The exit code is that of the first file that was not taken.

            """
        case "flights":
            """
            usage: skyfs flights FROM TO DATE [--json|--csv] [--source SOURCE] [-c FILE] [-o OPTIONS]

            Prints the flights of one day. FROM and TO are cities by their Chinese name, their English name or their code
            (上海, Shanghai, SHA), DATE is YYYY-MM-DD. Answers are kept and requests counted together with those of mounts.

              --json, --csv        for programs
              --source SOURCE      flights+URL of another service's .asmx [flights:]
              -c, --config FILE    a configuration file with one flights source; only there can a customer's number stand
              -o, --options LIST   cache, flights_budget, timeout and others; see skyfs mount --help

            """
        case "demo":
            """
            usage: skyfs demo [MOUNTPOINT]

            Starts a small web server on this machine, mounts it, shows its tree, reads from it, sends a file to it, looks at
            the flights of its invented service and says what that cost.
            With a MOUNTPOINT the mount stays until Ctrl-C.

            """
        default: nil
        }
    }

    private static var mount: String {
        var text = """
            usage: skyfs mount SOURCE MOUNTPOINT [-f] [-o OPTION[,OPTION...]]...
                   skyfs mount NAME=SOURCE... MOUNTPOINT [-f] [-o ...]...
                   skyfs mount --config FILE MOUNTPOINT [-f] [-o ...]...

            SOURCE is an http or https URL of a directory that the server lists, or of a file. A single source is the root
            of the mount; named ones are directories (or files) in it. drop+URL is a drop folder: each file put into it
            goes up to the http or https URL as a form (multipart/form-data), at once or as soon as the server can be
            reached; then sent/ holds a receipt, or failed/ the file and the reason. flights: is the flights of the webxml
            service as FROM/TO/DATE.txt (.json, .csv, .xml), flights+URL those of another .asmx.

            Mostly the answers show what a server is. dav+URL is a directory of a WebDAV server, s3+URL a bucket or a directory
            in one; its keys come from AWS_ACCESS_KEY_ID and so on, or from ~/.aws. links:FILE is a list of names and URLs,
            one NAME<TAB>URL a line.

              -f, --foreground   stay in front and log to standard error
              -c, --config FILE  sources and options from a JSON5 file
              -o, --options LIST mount options, below; sizes take K, M, G; times take ms, s, m, h
              --drop-field NAME  form field that holds the file [file]
              --drop-param NAME=VALUE
                                 text field to send before the file; may be given again
              --drop-path-field NAME
                                 text field that gets the file's path in the drop folder

            mount options:

            """
        for option in MountOption.all {
            let name = option.name + (option.value.map { "=\($0)" } ?? "")
            text += "  " + name.padded(to: 22) + option.help + " [\(option.standard)]\n"
        }
        return text + """

            User name and password come from ~/.netrc, or from a configuration file that only you can read; a flight service's
            customer number only from there.

            """
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
