import GQLBase

/// A reader of the encodings of Unicode that a byte order mark tells.
package enum TextEncoding {
  /// Returns where a text in UTF-8 begins: after its byte order mark, if it has one.
  package static func start(of bytes: some Sequence<UInt8>) -> Int {
    bytes.starts(with: [0xEF, 0xBB, 0xBF] as [UInt8]) ? 3 : 0
  }

  /// Returns a file in UTF-8: itself, or converted from UTF-16. Lines and columns stay as they are.
  static func utf8(_ file: MappedFile, _ watch: LoadWatch) throws(LoadFailure) -> MappedFile {
    let bytes = file.bytes
    guard bytes.count >= 2 else { return file }
    let isLittle = bytes[0] == 0xFF && bytes[1] == 0xFE
    guard isLittle || bytes[0] == 0xFE && bytes[1] == 0xFF else { return file }
    if isLittle, bytes.count >= 4, bytes[2] == 0, bytes[3] == 0 {
      throw LoadFailure(
        code: LoadProblem.unsupported.code, "text in UTF-32 is not read", help: "save it as UTF-8", file: file.name)
    }
    var buffer = ByteBuffer(capacity: bytes.count / 2 + 16)
    var index = 2
    var counted = 0
    var fault: String?
    while index < bytes.count {
      guard index + 1 < bytes.count else {
        fault = "half a character of UTF-16"
        break
      }
      func unit(_ index: Int) -> UInt32 {
        let (low, high) = isLittle ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
        return UInt32(high) << 8 | UInt32(low)
      }
      var value = unit(index)
      index += 2
      if value & 0xFC00 == 0xD800, index + 1 < bytes.count, unit(index) & 0xFC00 == 0xDC00 {
        value = 0x10000 + (value & 0x3FF) << 10 + unit(index) & 0x3FF
        index += 2
      }
      guard let scalar = Unicode.Scalar(value) else {
        fault = "half of a surrogate pair in UTF-16"
        break
      }
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { buffer.append(byte) }
      if buffer.count - counted > 1 << 20 {
        watch.interruption?.take(buffer.count - counted)
        counted = buffer.count
        watch.tellOpening(file.name)
        try watch.check(file.name)
      }
    }
    watch.interruption?.take(buffer.count - counted)
    let converted = MappedFile(name: file.name, taking: &buffer)
    guard let fault else { return converted }
    let failure = RecordFailure(.unreadable, fault, at: converted.bytes.count)
    throw LoadFailure([Loader.diagnostic(failure, in: converted, severity: .error)])
  }
}
