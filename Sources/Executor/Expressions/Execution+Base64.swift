import GQLBase

extension Execution {
  /// Bytes that are encoded between two looks at what may stop the run, a multiple of three.
  static var codedBytes: Int { 3 << 13 }

  /// Appends bytes in base64, without quotes.
  func encode(base64 bytes: UnsafeRawBufferPointer, into buffer: inout ByteBuffer) throws(RuntimeProblem) {
    var start = 0
    while start < bytes.count {
      let end = min(start + Execution.codedBytes, bytes.count)
      Base64.encode(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), into: &buffer)
      try charge(end - start)
      start = end
    }
  }
}
