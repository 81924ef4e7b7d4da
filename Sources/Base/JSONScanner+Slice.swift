extension JSONScanner {
  /// The bytes of the input from `start` up to `end`, clamped to the input.
  package func slice(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
    let start = min(max(0, start), count)
    return UnsafeBufferPointer(start: base + start, count: min(max(start, end), count) - start)
  }
}

extension JSONText {
  /// A text that was not scanned, such as a field of a CSV file.
  package init(unscanned bytes: UnsafeBufferPointer<UInt8>, at start: UnsafePointer<UInt8>) {
    self.init(start: start, count: bytes.count, isClean: false, isDecoded: false)
  }
}
