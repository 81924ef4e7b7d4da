#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Serves the compiler over two file descriptors: before each message stands its length in 8 bytes, lowest first.
package struct PluginConnection {
  private let input: Int32
  private let output: Int32
  private let plugin = MacroPlugin()

  package init(input: Int32 = 0, output: Int32 = 1) {
    self.input = input
    self.output = output
  }

  /// Why serving ended.
  package enum End: Equatable, Sendable {
    /// The compiler closed the connection, or sent an empty message, by which it says that it will.
    case closed
    /// A message that can't be read or understood.
    case misunderstood
    /// Input that ended within a message, or output that nobody takes.
    case broken
  }

  /// Answers messages until there are no more.
  package func serve() -> End {
    while true {
      guard let header = read(8) else { return .broken }
      if header.isEmpty { return .closed }
      guard header.count == 8 else { return .broken }
      let length = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      if length == 0 { return .closed }
      guard length <= UInt64(Int.max), let body = read(Int(length)), body.count == Int(length) else { return .broken }
      guard let message = try? MessageParser.value(of: body), let answer = plugin.answer(to: message) else {
        return .misunderstood
      }
      let bytes = answer.bytes
      let size = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(bytes.count) >> (8 * UInt64($0))) }
      guard write(size + bytes) else { return .broken }
    }
  }

  /// As many bytes as asked for, fewer if the input ends, nil if it fails. The room grows with what comes, so a wrong
  /// length costs nothing.
  private func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var failed = false
      let wanted = min(count - bytes.count, 1 << 16)
      let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
        let taken = receive(buffer.baseAddress, wanted)
        failed = taken < 0
        filled = max(taken, 0)
      }
      if failed { return nil }
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }

  private func receive(_ address: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    while true {
      #if canImport(Darwin)
        let taken = Darwin.read(input, address, count)
      #elseif canImport(Musl)
        let taken = Musl.read(input, address, count)
      #else
        let taken = Glibc.read(input, address, count)
      #endif
      if taken >= 0 || errno != EINTR { return taken }
    }
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let step = bytes[sent...].withUnsafeBytes { buffer in
        #if canImport(Darwin)
          Darwin.write(output, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
          Musl.write(output, buffer.baseAddress, buffer.count)
        #else
          Glibc.write(output, buffer.baseAddress, buffer.count)
        #endif
      }
      if step < 0, errno == EINTR { continue }
      if step <= 0 { return false }
      sent += step
    }
    return true
  }
}
