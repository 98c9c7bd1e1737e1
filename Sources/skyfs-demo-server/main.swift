import Glibc
import LoopbackServer

// A closed pipe at standard output is an error of `write`, not the end.
signal(SIGPIPE, SIG_IGN)
Lifetime.catchSignals()

do {
    switch try DemoCommand.parse(Array(CommandLine.arguments.dropFirst())) {
    case .help:
        Output.line(DemoCommand.usage)
    case .serve(let port):
        let server = try LoopbackServer(port: port)
        DemoSite.install(on: server)
        Output.line("\(server.url)/")
        Lifetime.waitForEnd()
        server.stop()
    case .relay(let port, let delay, let rate):
        let relay = try Relay(to: port, delay: delay, bytesPerSecond: rate)
        Output.line("\(relay.port)")
        Lifetime.waitForEnd()
        relay.stop()
    }
} catch let error as DemoCommand.UsageError {
    Output.failure("\(error.message)\n\(DemoCommand.usage)")
    exit(2)
} catch {
    Output.failure("cannot listen on 127.0.0.1: \(error)")
    exit(1)
}
