import CZlib
import CZstd
import GQLBase

/// A compressed form of a data file, told by the end of its name.
enum Compression: String, CaseIterable {
  case gzip = ".gz"
  case zstd = ".zst"

  /// The name without the ending, and the form; nil for a name that has no such ending.
  static func split(_ name: String) -> (stem: String, compression: Compression)? {
    for form in allCases where name.hasSuffix(form.rawValue) && name.utf8.count > form.rawValue.utf8.count {
      return (String(name.dropLast(form.rawValue.count)), form)
    }
    return nil
  }

  /// Why bytes could not be expanded.
  struct Failure: Error { let message: String }

  /// The whole content. Several members or frames behind each other are one content, as the tools have it.
  ///
  /// - Throws: where the bytes are not of this form, end too early, or hold more than `limit` bytes; where the
  ///   interruption is due.
  func expand(
    _ bytes: UnsafeBufferPointer<UInt8>, limit: Int, _ interruption: Interruption? = nil
  ) throws(Failure) -> ExpandedBytes {
    let output = ExpandedBytes(capacity: min(limit, max(4096, bytes.count &* 4)), interruption)
    switch self {
    case .gzip: try inflate(bytes, into: output, limit: limit)
    case .zstd: try decompress(bytes, into: output, limit: limit)
    }
    try output.check(limit)
    return output
  }

  private func inflate(
    _ bytes: UnsafeBufferPointer<UInt8>, into output: ExpandedBytes, limit: Int
  ) throws(Failure) {
    var stream = z_stream()
    guard gqlite_inflate_init_gzip(&stream) == Z_OK else { throw Failure(message: "no memory to expand it") }
    defer { inflateEnd(&stream) }
    var position = 0
    var isDone = false
    while !isDone {
      let given = min(bytes.count - position, 1 << 30)
      stream.next_in = bytes.baseAddress.map { UnsafeMutablePointer(mutating: $0 + position) }
      stream.avail_in = UInt32(given)
      let room = try output.room(limit: limit)
      stream.next_out = room.start.assumingMemoryBound(to: UInt8.self)
      stream.avail_out = UInt32(room.count)
      let offered = Int(stream.avail_out)
      let status = CZlib.inflate(&stream, Z_NO_FLUSH)
      position += given - Int(stream.avail_in)
      output.count += offered - Int(stream.avail_out)
      switch status {
      case Z_STREAM_END:
        isDone = position == bytes.count
        if !isDone { inflateReset(&stream) }
      case Z_OK: break
      case Z_BUF_ERROR where position == bytes.count:
        throw Failure(message: "the compressed data ends too early")
      case Z_BUF_ERROR: break
      case Z_MEM_ERROR: throw Failure(message: "no memory to expand it")
      default: throw Failure(message: "this is no gzip data, or it is damaged at byte \(position)")
      }
    }
  }

  private func decompress(
    _ bytes: UnsafeBufferPointer<UInt8>, into output: ExpandedBytes, limit: Int
  ) throws(Failure) {
    guard let stream = ZSTD_createDStream() else { throw Failure(message: "no memory to expand it") }
    defer { ZSTD_freeDStream(stream) }
    guard bytes.count > 0 else { throw Failure(message: "the compressed data ends too early") }
    var input = ZSTD_inBuffer(src: UnsafeRawPointer(bytes.baseAddress), size: bytes.count, pos: 0)
    while true {
      let room = try output.room(limit: limit)
      var target = ZSTD_outBuffer(dst: room.start, size: room.count, pos: 0)
      let before = input.pos
      let wanted = ZSTD_decompressStream(stream, &target, &input)
      output.count += target.pos
      if ZSTD_isError(wanted) != 0 {
        throw Failure(message: "this is no zstd data, or it is damaged: \(String(cString: ZSTD_getErrorName(wanted)))")
      }
      if input.pos == input.size {
        if wanted == 0 { return }
        // More output may wait where the room was used up.
        if target.pos < target.size, input.pos == before {
          throw Failure(message: "the compressed data ends too early")
        }
      }
    }
  }
}

/// Bytes that grow while they are expanded.
final class ExpandedBytes {
  private(set) var start: UnsafeMutableRawPointer
  private var capacity: Int
  var count = 0
  private var isTaken = false
  private let interruption: Interruption?
  /// The most bytes that are expanded between two looks at the interruption.
  private static let slice = 16 << 20

  init(capacity: Int, _ interruption: Interruption?) {
    self.capacity = max(capacity, 16)
    self.interruption = interruption
    start = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { if !isTaken { start.deallocate() } }

  func check(_ limit: Int) throws(Compression.Failure) {
    if count > limit {
      throw Compression.Failure(
        message: "the expanded data has more than \(limit) bytes, the limit 'expanded bytes' of a load")
    }
  }

  /// Free room, at least one byte.
  func room(limit: Int) throws(Compression.Failure) -> (start: UnsafeMutableRawPointer, count: Int) {
    try check(limit)
    if interruption?.isDue ?? false { throw Compression.Failure(message: "interrupted") }
    if count == capacity {
      // One byte beyond the limit tells that there is more.
      let (doubled, overflow) = capacity.multipliedReportingOverflow(by: 2)
      let next = max(capacity + 1, overflow ? limit : min(doubled, limit < Int.max ? limit + 1 : limit))
      let grown = UnsafeMutableRawPointer.allocate(byteCount: next, alignment: 16)
      grown.copyMemory(from: start, byteCount: count)
      start.deallocate()
      start = grown
      capacity = next
    }
    return (start + count, min(capacity - count, Self.slice))
  }

  /// Hands the memory to the caller, who deallocates it.
  func take() -> UnsafeMutableRawPointer {
    isTaken = true
    return start
  }
}
