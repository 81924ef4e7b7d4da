import GQLBase

/// Places of rows in a segment, ascending.
final class PlaceList {
  let places: UnsafeMutablePointer<UInt16>
  @exclusivity(unchecked) var count = 0

  init(capacity: Int) { places = .allocate(capacity: max(capacity, 1)) }

  deinit { places.deallocate() }
}

extension CandidateSegment {
  /// So few are quicker looked at than sorted out.
  private static let fewPlaces = 4

  /// The rows that have what is asked for. Complexity: about that of the rarest key.
  func find(_ query: CandidateQuery) -> PlaceList {
    var result = query.keys.isEmpty ? nil : findAll(query.keys)
    for choices in query.alternatives {
      if let result, result.count <= Self.fewPlaces { return result }
      let union = choices.dropFirst().reduce(choices.first.map(find)) { known, choice in
        known.map { Self.union($0, find(choice)) }
      }
      guard let union else { continue }
      if let result {
        result.count = Self.intersect(
          UnsafePointer(result.places), result.count, UnsafePointer(union.places), union.count, into: result.places)
      } else {
        result = union
      }
    }
    return result ?? PlaceList(capacity: 0)
  }

  private func findAll(_ keys: [UInt32]) -> PlaceList {
    withUnsafeTemporaryAllocation(of: Postings.self, capacity: keys.count) { lists in
      var count = 0
      for key in keys {
        guard let found = postings(key) else { return PlaceList(capacity: 0) }
        // The rarest first.
        var place = count
        while place > 0, lists[place - 1].count > found.count {
          lists[place] = lists[place - 1]
          place -= 1
        }
        lists[place] = found
        count += 1
      }
      let rarest = lists[0]
      let result = PlaceList(capacity: rarest.count)
      if rarest.isBits {
        intersectBits(UnsafeBufferPointer(rebasing: lists[..<count]), into: result)
        return result
      }
      result.places.update(from: rarest.places, count: rarest.count)
      result.count = rarest.count
      for index in 1..<max(count, 1) where result.count > Self.fewPlaces { Self.keep(result, in: lists[index]) }
      return result
    }
  }

  private func intersectBits(_ lists: UnsafeBufferPointer<Postings>, into result: PlaceList) {
    let places = result.places
    var written = 0
    // Safe because bits begin at a multiple of four units, and have whole words.
    for word in 0..<Self.bitUnits(rowCount) / 4 {
      var bits = UInt64.max
      for list in lists {
        bits &= UnsafeRawPointer(list.places).load(fromByteOffset: word &* 8, as: UInt64.self)
      }
      while bits != 0 {
        places[written] = UInt16(truncatingIfNeeded: word &* 64 &+ bits.trailingZeroBitCount)
        written &+= 1
        bits &= bits &- 1
      }
    }
    result.count = written
  }

  /// Leaves the places that the postings have.
  private static func keep(_ list: PlaceList, in postings: Postings) {
    let places = list.places
    var written = 0
    if postings.isBits {
      for index in 0..<list.count {
        let place = places[index]
        places[written] = place
        written &+= postings.contains(bit: place) ? 1 : 0
      }
    } else {
      written = intersect(places, list.count, postings.places, postings.count, into: places)
    }
    list.count = written
  }

  /// Gallops through the second list, which is no shorter; `target` may be the first.
  private static func intersect(
    _ first: UnsafePointer<UInt16>, _ firstCount: Int, _ second: UnsafePointer<UInt16>, _ secondCount: Int,
    into target: UnsafeMutablePointer<UInt16>
  ) -> Int {
    var written = 0
    var position = 0
    for index in 0..<firstCount {
      let place = first[index]
      var step = 1
      var end = position
      while end < secondCount, second[end] < place {
        position = end &+ 1
        end &+= step
        step &*= 2
      }
      end = min(end, secondCount)
      while position < end {
        let middle = (position &+ end) >> 1
        if second[middle] < place { position = middle &+ 1 } else { end = middle }
      }
      if position == secondCount { break }
      if second[position] == place {
        target[written] = place
        written &+= 1
      }
    }
    return written
  }

  private static func union(_ first: PlaceList, _ second: PlaceList) -> PlaceList {
    let result = PlaceList(capacity: first.count + second.count)
    var left = 0
    var right = 0
    var written = 0
    while left < first.count || right < second.count {
      let a = left < first.count ? Int(first.places[left]) : Int.max
      let b = right < second.count ? Int(second.places[right]) : Int.max
      result.places[written] = UInt16(truncatingIfNeeded: min(a, b))
      written += 1
      if a <= b { left += 1 }
      if b <= a { right += 1 }
    }
    result.count = written
    return result
  }
}
