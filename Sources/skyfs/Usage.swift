/// The help texts.
enum Usage {
    static let summary = """
        usage: skyfs mount SOURCE MOUNTPOINT [-o OPTIONS] [-f]
               skyfs unmount MOUNTPOINT
               skyfs status MOUNTPOINT [--json] [--watch]
               skyfs demo [MOUNTPOINT]
               skyfs --help | --version

        """

    static var all: String {
        summary + """

            Mounts files and directories of web servers, read-only.

            commands:
              mount     show a remote file or directory at a local path
              unmount   take a mount away
              status    what a mount does: sources, transfers, memory
              demo      try it with a server of its own

            'skyfs COMMAND --help' tells more.

            exit codes:
              0 success                         5 the server cannot be reached
              1 failure of another kind         6 the source is not a listing
              2 wrong command line              7 the mount point cannot be used
              3 the source does not exist       8 no /dev/fuse or no permission
              4 the server denied access        9 the mount is busy

            """
    }

    static func command(_ name: String) -> String? {
        switch name {
        case "mount": mount
        case "unmount", "umount":
            """
            usage: skyfs unmount MOUNTPOINT [--now]

            Takes the mount away. One that is in use stays as it is.

              --now     do not wait for uploads; this version has none, so it makes no difference

            """
        case "status":
            """
            usage: skyfs status MOUNTPOINT [--json] [--watch]

              --json    for programs
              --watch   again every second, until the mount ends or Ctrl-C

            """
        case "demo":
            """
            usage: skyfs demo [MOUNTPOINT]

            Starts a small web server on this machine, mounts it, shows its tree, reads from it and says what that cost.
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
            of the mount; named ones are directories (or files) in it.

              -f, --foreground   stay in front and log to standard error
              -c, --config FILE  sources and options from a JSON5 file
              -o, --options LIST mount options, below; sizes take K, M, G; times take ms, s, m, h

            mount options:

            """
        for option in MountOption.all {
            let name = option.name + (option.value.map { "=\($0)" } ?? "")
            text += "  " + name.padded(to: 22) + option.help + " [\(option.standard)]\n"
        }
        return text + """

            User name and password come from ~/.netrc, or from a configuration file that only you can read.

            """
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
