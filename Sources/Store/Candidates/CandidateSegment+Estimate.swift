import GQLBase

extension CandidateSegment {
  /// Rows with the rarest key that are looked at; they stand for the others.
  private static let samples = 64

  /// About how many rows ``find(_:)`` gives, exactly if they are few. Complexity: O(keys), however long their
  /// postings are, because plans ask before each run.
  func estimate(_ query: CandidateQuery) -> Double {
    var least = query.keys.isEmpty ? Double(rowCount) : estimateAll(query.keys)
    for choices in query.alternatives where least > 0 {
      least = min(least, choices.reduce(0) { $0 + estimate($1) })
    }
    return least
  }

  private func estimateAll(_ keys: [UInt32]) -> Double {
    // What requires nothing is met by all.
    if keys.isEmpty { return Double(rowCount) }
    return withUnsafeTemporaryAllocation(of: Postings.self, capacity: keys.count) { lists in
      var count = 0
      for key in keys {
        guard let found = postings(key) else { return 0 }
        (lists.baseAddress.unsafelyUnwrapped + count).initialize(to: found)
        count += 1
        // The rarest comes first.
        if found.count < lists[0].count { lists.swapAt(0, count - 1) }
      }
      let rarest = lists[0]
      let others = UnsafeBufferPointer(rebasing: lists[1..<count])
      if rarest.isBits { return estimateBits(rarest, others) }
      let looked = min(rarest.count, Self.samples)
      if looked == 0 { return 0 }
      var found = 0
      for sample in 0..<looked {
        let place = rarest.places[sample * rarest.count / looked]
        if others.allSatisfy({ $0.contains(place) }) { found += 1 }
      }
      return Double(found) * Double(rarest.count) / Double(looked)
    }
  }

  /// Estimates the same where even the rarest has a bit for each row.
  private func estimateBits(_ rarest: Postings, _ others: UnsafeBufferPointer<Postings>) -> Double {
    let words = Self.bitUnits(rowCount) / 4
    let looked = min(words, Self.samples)
    if looked == 0 { return 0 }
    var found = 0
    for sample in 0..<looked {
      let word = sample * words / looked
      // Safe because bits begin at a multiple of four units, and have whole words.
      var bits = UnsafeRawPointer(rarest.places).load(fromByteOffset: word &* 8, as: UInt64.self)
      for list in others {
        bits &= UnsafeRawPointer(list.places).load(fromByteOffset: word &* 8, as: UInt64.self)
      }
      found += bits.nonzeroBitCount
    }
    return Double(found) * Double(words) / Double(looked)
  }
}

extension CandidateSegment.Postings {
  fileprivate func contains(_ place: UInt16) -> Bool {
    if isBits { return contains(bit: place) }
    var low = 0
    var high = count
    while low < high {
      let middle = (low &+ high) >> 1
      if places[middle] < place { low = middle &+ 1 } else { high = middle }
    }
    return low < count && places[low] == place
  }
}
