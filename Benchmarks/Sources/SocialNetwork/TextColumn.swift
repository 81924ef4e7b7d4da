/// Texts of one field, end to end in one buffer.
package struct TextColumn: Sendable {
  /// The UTF-8 of all texts.
  package private(set) var bytes: [UInt8] = []
  /// Text `i` is `bytes[offsets[i] ..< offsets[i + 1]]`.
  package private(set) var offsets: [Int] = [0]

  /// How many texts there are.
  package var count: Int { offsets.count - 1 }

  /// The place of text `row` in `bytes`.
  package func range(_ row: Int) -> Range<Int> { offsets[row]..<offsets[row + 1] }

  /// Text `row` as a string.
  package subscript(row: Int) -> String { String(decoding: bytes[range(row)], as: UTF8.self) }

  mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    offsets.append(bytes.count)
  }

  mutating func appendParts(_ write: (inout [UInt8]) -> Void) {
    write(&bytes)
    offsets.append(bytes.count)
  }
}
