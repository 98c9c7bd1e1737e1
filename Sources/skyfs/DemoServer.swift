import FoundationEssentials
import Glibc
import HTTP
import Platform

/// The web server of the demo: `skyfs-demo-server`, which is built beside this program.
struct DemoServer {
    /// What the server has sent so far, by its own count, the asking left out.
    struct Totals: Decodable {
        var requests: Int
        var bytes: Int64
    }

    let url: String
    private let process: ChildProcess
    /// The server ends when its standard input does, also when this process is killed.
    private let lifeline: Int32
    private let client: HTTPClient
    private let totalsURL: HTTPURL

    init() throws(CommandError) {
        let program = Self.program
        guard let input = Pipe(), let output = Pipe(),
            let process = ChildProcess([program], streams: .init(input: input.reading, output: output.writing))
        else {
            throw CommandError(.failure, "cannot start \(program)", advice: "it is built beside skyfs by make build")
        }
        close(input.reading)
        close(output.writing)
        url = Self.firstLine(output.reading)
        close(output.reading)
        self.process = process
        lifeline = input.writing
        do {
            totalsURL = try HTTPURL.parse("\(url).stats").url
            client = try HTTPClient(HTTPConfiguration(userAgent: "skyfs/\(Program.version)", log: Log(.nowhere)))
        } catch {
            close(lifeline)
            throw CommandError(.failure, "cannot use \(program): \(error)")
        }
    }

    func totals() throws(CommandError) -> Totals {
        let answer = Condition<Result<Response, TransferError>?>(nil)
        client.fetch(
            Request(.get, totalsURL, purpose: .metadata), limit: 4096, patience: .seconds(5),
            completion: { result in answer.update { $0 = result } })
        let result = answer.wait(until: { $0 != nil }) { $0 }
        guard case .success(let response)? = result, response.head.status == 200,
            let totals = try? JSONDecoder().decode(Totals.self, from: Data(response.body))
        else { throw CommandError(.failure, "the demo server does not tell its totals") }
        return totals
    }

    func end() {
        client.shutdown()
        close(lifeline)
        _ = process.wait()
    }

    private static var program: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "") + "/skyfs-demo-server"
    }

    private static func firstLine(_ descriptor: Int32) -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 256, read(descriptor, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }
}
