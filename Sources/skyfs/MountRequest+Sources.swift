import Filesystem
import HTTP
import Platform

extension MountRequest {
    /// The sources as the file system takes them, and who we are to their servers.
    func opened(_ settings: MountSettings) throws(CommandError) -> ([Filesystem.Source], SourceIdentities) {
        var opened: [Filesystem.Source] = []
        var identities = SourceIdentities()
        for source in sources {
            opened.append(
                Filesystem.Source(name: source.name.map { FileName($0) }, kind: try kind(of: source, settings)))
            guard source.prefix != .links else { continue }
            let (url, userinfo) = try Self.parse(source.url)
            // Keys of S3 sources sign requests; all other user names and passwords are sent to who asks for them.
            if source.prefix == .s3 {
                identities.signing[url.origin] = try S3Signing.find(for: url, userinfo: userinfo)
            } else if let userinfo {
                identities.credentials[url.origin] = userinfo
            }
        }
        return (opened, identities)
    }

    private func kind(
        of source: Source, _ settings: MountSettings
    ) throws(CommandError) -> Filesystem.Source.Kind {
        if source.prefix == .links { return .links(source.url) }
        let url = try Self.parse(source.url).url
        return switch source.prefix {
        case .drop: .drop((source.form ?? UploadForm()).target(url))
        case .flights: .flights((source.flights ?? FlightAccess()).source(url, budget: settings.flightsBudget))
        // Only directories have a protocol of their own.
        case .webDAV: .files(url.asDirectory, .webDAV)
        case .s3: .files(url.asDirectory, .s3)
        case .links, nil: .files(url)
        }
    }
}

extension HTTPURL {
    /// Ending in "/".
    fileprivate var asDirectory: HTTPURL { isDirectory ? self : replacing(path: path + "/", query: query) }
}
