import CZlib
import CZstd
import GQLBase

/// A compressed form of a data file.
enum Compression: String, CaseIterable {
  case gzip = ".gz"
  case zstd = ".zst"

  /// Finds the form that the end of a name says, in any case.
  init?(ofName name: String) {
    let lowered = name.lowercased()
    guard let form = Self.allCases.first(where: { lowered.hasSuffix($0.rawValue) }) else { return nil }
    self = form
  }

  /// Finds the form that bytes begin like.
  init?(of bytes: UnsafeBufferPointer<UInt8>) {
    if bytes.starts(with: [0x1F, 0x8B, 0x08]) {
      self = .gzip
    } else if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      self = .zstd
    } else {
      return nil
    }
  }

  /// A reason why bytes could not be expanded.
  struct Failure: Error { let message: String }

  /// Returns the whole content. Several members or frames behind each other are one content, as the tools have it.
  ///
  /// - Throws: where the bytes are not of this form, end too early, or hold more than `limit` bytes; where the
  ///   interruption is due.
  func expand(_ file: MappedFile, limit: Int, _ watch: LoadWatch) throws(Failure) -> ExpandedBytes {
    let bytes = file.bytes
    let output = ExpandedBytes(
      of: file.name, capacity: min(limit, max(4096, bytes.count &* 4)), limit: limit, watch)
    switch self {
    case .gzip: try inflate(bytes, into: output)
    case .zstd: try decompress(bytes, into: output)
    }
    try output.check()
    return output
  }

  private func inflate(
    _ bytes: UnsafeBufferPointer<UInt8>, into output: ExpandedBytes
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
      let room = try output.room()
      stream.next_out = room.start.assumingMemoryBound(to: UInt8.self)
      stream.avail_out = UInt32(room.count)
      let offered = Int(stream.avail_out)
      let status = CZlib.inflate(&stream, Z_NO_FLUSH)
      position += given - Int(stream.avail_in)
      output.advance(offered - Int(stream.avail_out))
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
    _ bytes: UnsafeBufferPointer<UInt8>, into output: ExpandedBytes
  ) throws(Failure) {
    guard let stream = ZSTD_createDStream() else { throw Failure(message: "no memory to expand it") }
    defer { ZSTD_freeDStream(stream) }
    guard bytes.count > 0 else { throw Failure(message: "the compressed data ends too early") }
    var input = ZSTD_inBuffer(src: UnsafeRawPointer(bytes.baseAddress), size: bytes.count, pos: 0)
    while true {
      let room = try output.room()
      var target = ZSTD_outBuffer(dst: room.start, size: room.count, pos: 0)
      let before = input.pos
      let wanted = ZSTD_decompressStream(stream, &target, &input)
      output.advance(target.pos)
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
  private(set) var buffer: ByteBuffer
  private let limit: Int
  private let watch: LoadWatch
  private let name: String
  /// Limits the bytes that are expanded between two looks at the watch.
  private static let slice = 16 << 20

  init(of name: String, capacity: Int, limit: Int, _ watch: LoadWatch) {
    self.name = name
    buffer = ByteBuffer(capacity: capacity)
    self.limit = limit
    self.watch = watch
  }

  var count: Int { buffer.count }

  func check() throws(Compression.Failure) {
    if count > limit {
      throw Compression.Failure(
        message: "the expanded data has more than \(limit) bytes, the limit 'expanded bytes' of a load")
    }
    watch.tellOpening(name)
    if watch.isDue { throw Compression.Failure(message: "interrupted") }
  }

  /// Free room, at least one byte: one beyond the limit tells that there is more.
  func room() throws(Compression.Failure) -> (start: UnsafeMutableRawPointer, count: Int) {
    try check()
    // Large memory grows in place: what was expanded is not there twice.
    let wanted = min(Self.slice, max(limit, 0) - count + 1)
    buffer.reserve(min(wanted, 4096))
    return (buffer.room.start, min(buffer.room.count, wanted))
  }

  /// Counts bytes that were written into the room, also against the memory of the load.
  func advance(_ count: Int) {
    buffer.advance(count)
    watch.interruption?.take(count)
  }

  /// Returns the file that the bytes are; nothing is left here.
  func file(named name: String) -> MappedFile { MappedFile(name: name, taking: &buffer) }
}
