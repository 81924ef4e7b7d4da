import GQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension QueryError {
  /// The file and what is wrong with it, on one line.
  fileprivate var place: String { problems.first.map { "\($0.file): \($0.message)" } ?? "" }
}

/// One of the process's streams. Unchecked because the command has one thread.
final class Terminal: @unchecked Sendable {
  static let standardInput = Terminal(descriptor: 0)
  static let standardOutput = Terminal(descriptor: 1)
  static let standardError = Terminal(descriptor: 2)

  private let descriptor: CInt
  /// Where the bytes go instead.
  private var file: FileReplacement?
  private var pending: [UInt8] = []

  private init(descriptor: CInt) { self.descriptor = descriptor }

  /// Whether a person reads this stream.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The width of the terminal; nil if the stream leads elsewhere. The variable `COLUMNS` goes before what it says itself.
  var columns: Int? {
    guard file == nil, isTerminal else { return nil }
    if let value = getenv("COLUMNS"), let columns = Int(String(cString: value)), columns > 0 { return columns }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Colors are for terminals, and only where `NO_COLOR` is not set.
  var hasColors: Bool {
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
    if let file {
      do throws(QueryError) {
        try file.write(bytes)
      } catch {
        end(error.place)
      }
      return
    }
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
        end("standard output: \(String(cString: strerror(errno)))")
      }
      start += written
    }
  }

  private func end(_ message: String) -> Never {
    file?.discard()
    Terminal.standardError.write("gqlite: \(message)\n")
    exit(Process.failure)
  }

  /// Sends what is written from now on to a file, which is replaced by ``commit()`` only. The path `-` changes nothing.
  func redirect(to path: String) throws(UsageError) {
    flush()
    guard path != "-" else { return }
    do throws(QueryError) {
      file = try FileReplacement(path)
    } catch {
      throw UsageError(error.place, help: nil)
    }
  }

  /// Ends writing: the file takes the place of the old one.
  func commit() {
    flush()
    do throws(QueryError) {
      try file?.commit()
    } catch {
      end(error.place)
    }
    file = nil
  }

  /// Ends writing to a file and leaves the old one.
  func discard() {
    if file != nil { pending.removeAll() }
    file?.discard()
    file = nil
  }
}
