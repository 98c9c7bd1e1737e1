import Filesystem
import HTTP
import Platform

extension MountRequest {
    /// The sources as the file system takes them, and the user names and passwords that stood in their URLs.
    func opened(_ settings: MountSettings) throws(CommandError) -> ([Filesystem.Source], [Origin: Credentials]) {
        var opened: [Filesystem.Source] = []
        var credentials: [Origin: Credentials] = [:]
        for source in sources {
            let (url, userinfo) = try Self.parse(source.url)
            let kind: Filesystem.Source.Kind =
                if let form = source.form {
                    .drop(form.target(url))
                } else if let flights = source.flights {
                    .flights(flights.source(url, budget: settings.flightsBudget))
                } else {
                    .files(url)
                }
            opened.append(Filesystem.Source(name: source.name.map { FileName($0) }, kind: kind))
            if let userinfo { credentials[url.origin] = userinfo }
        }
        return (opened, credentials)
    }
}
