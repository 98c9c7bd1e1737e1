import Glibc

/// Lines for whoever started the program. Unbuffered: a parent waits for the first one.
enum Output {
    static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }
    static func failure(_ text: String) { write("skyfs-demo-server: \(text)\n", to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        _ = Glibc.write(descriptor, text, text.utf8.count)
    }
}
