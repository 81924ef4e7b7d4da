extension UnsafeBufferPointer<UInt8> {
  /// Returns whether the bytes are those of a word.
  package func equals(_ word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount
      && elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }
}
