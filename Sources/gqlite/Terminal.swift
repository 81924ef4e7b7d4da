#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One of the process's streams. Unchecked because the command has one thread.
final class Terminal: @unchecked Sendable {
  static let standardOutput = Terminal(descriptor: 1)
  static let standardError = Terminal(descriptor: 2)

  private var descriptor: CInt
  /// What messages call it.
  private var name = "standard output"
  private var pending: [UInt8] = []

  private init(descriptor: CInt) { self.descriptor = descriptor }

  /// Whether a person reads this stream.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Colours are for terminals, and only where `NO_COLOR` is not set.
  var hasColours: Bool {
    guard isTerminal else { return false }
    if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
    if let term = getenv("TERM"), String(cString: term) == "dumb" { return false }
    return true
  }

  /// Whether the variable `CI` says that no person runs the command.
  static var isContinuousIntegration: Bool {
    guard let value = getenv("CI") else { return false }
    return !["", "0", "false"].contains(String(cString: value).lowercased())
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    pending += bytes
    if pending.count >= 1 << 16 || descriptor == 2 { flush() }
  }

  /// Writes what is pending. Ends the process quietly if nobody reads, and with a message if the place is full.
  func flush() {
    guard !pending.isEmpty else { return }
    let bytes = pending
    pending.removeAll(keepingCapacity: true)
    var start = 0
    while start < bytes.count {
      let written = bytes.withUnsafeBytes { buffer in
        guard let base = buffer.baseAddress else { return 0 }
        #if canImport(Glibc)
          return Glibc.write(descriptor, base + start, buffer.count - start)
        #elseif canImport(Musl)
          return Musl.write(descriptor, base + start, buffer.count - start)
        #else
          return Darwin.write(descriptor, base + start, buffer.count - start)
        #endif
      }
      if written < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        // Nobody reads what went wrong; the exit code still says that something did.
        if descriptor == 2 { return }
        if errno == EPIPE { exit(Process.success) }
        let message = String(cString: strerror(errno))
        Terminal.standardError.write("gqlite: \(name): \(message)\n")
        exit(Process.failure)
      }
      start += written
    }
  }

  /// Sends what is written from now on to a file.
  func redirect(to path: String) throws(UsageError) {
    flush()
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw UsageError("\(path): \(String(cString: strerror(errno)))", help: nil) }
    descriptor = file
    name = path
  }
}
