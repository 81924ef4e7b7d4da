import GQLBase

extension FullTextColumn {
  /// The sum of the rows of all terms that begin with these bytes: of many a few here and there stand for all.
  func estimatedRows(ofPrefix prefix: Text) -> Int {
    prefix.bytes.withUnsafeBufferPointer { bytes in
      var bounds = BTreeBounds()
      if let start = bytes.baseAddress, bytes.count > 0 {
        bounds.textPrefix = TextView(UnsafeRawPointer(start), count: bytes.count).cell
      }
      let reader = tree.reader(termReader)
      let count = reader.count(bounds)
      let isSampled = count > Self.sampleRuns * Self.sampleTerms
      let length = isSampled ? Self.sampleTerms : count
      return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: max(length, 1)) { terms in
        // Safe because the capacity is not zero.
        let start = terms.baseAddress.unsafelyUnwrapped
        var sum = 0
        var looked = 0
        for run in 0..<(isSampled ? Self.sampleRuns : 1) {
          let walked = reader.walk(
            bounds, descending: false, skip: run * count / Self.sampleRuns, limit: length, into: start)
          for index in 0..<walked { sum += found(start[index]) }
          looked += walked
        }
        return isSampled && looked > 0 ? sum * (count / looked) : sum
      }
    }
  }

  /// Samples, each of so many neighbors.
  private static let sampleRuns = 16
  private static let sampleTerms = 16
}
