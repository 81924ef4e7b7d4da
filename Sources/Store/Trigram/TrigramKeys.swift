import GQLBase

/// The trigrams of folded texts.
struct TrigramKeys: CandidateKeys {
  func most(_ row: UInt32, _ reader: ColumnReader) -> Int { reader.text(row).count }

  func enter(_ row: UInt32, _ reader: ColumnReader, into builder: inout CandidateSegmentBuilder) {
    Self.enter(reader.text(row), into: &builder)
  }

  /// Enters the trigrams of a text. A long one is cut into pieces, which overlap by two characters.
  static func enter(_ text: UnsafeBufferPointer<UInt8>, into builder: inout CandidateSegmentBuilder) {
    builder.bytes.removeAll(keepingCapacity: true)
    CaseFolding.fold(text, into: &builder.bytes)
    let length = builder.bytes.count
    let pieceBytes = CandidateSegmentBuilder.partSize
    var start = 0
    while length - start >= 3 {
      var end = min(start + pieceBytes, length)
      while end < length, end > start, builder.bytes[end] & 0xC0 == 0x80 { end -= 1 }
      // Bytes without a border are no text; the piece must not be empty, or it would not end.
      if end == start { end = min(start + pieceBytes, length) }
      let found = builder.found
      let count = builder.bytes.withUnsafeBufferPointer {
        Trigram.write(UnsafeBufferPointer(rebasing: $0[start..<end]), to: found)
      }
      builder.enter(count)
      if end >= length { break }
      var next = end
      for _ in 0..<2 {
        next -= 1
        while next > start, builder.bytes[next] & 0xC0 == 0x80 { next -= 1 }
      }
      // Bytes that are no text at all could otherwise hold it up.
      start = next > start ? next : end
    }
  }

  func keys(_ row: UInt32, _ reader: ColumnReader) -> [UInt32] {
    var folded: [UInt8] = []
    CaseFolding.fold(reader.text(row), into: &folded)
    return [UInt32](unsafeUninitializedCapacity: folded.count + 1) { buffer, count in
      count = folded.withUnsafeBufferPointer { text in
        buffer.baseAddress.map { Trigram.write(text, to: $0) } ?? 0
      }
    }
  }
}
