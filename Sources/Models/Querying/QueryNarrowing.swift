import GQLStore

extension QueryList {
  /// Whether it begins with all entities, or all of a list.
  var isOfAll: Bool {
    switch source {
    case .all: true
    case .ids, .rows: false
    }
  }

  /// Keeps of each of several lists of rows, which stand one behind the other, what the query gives of it: as if there
  /// were no other entities.
  func narrow(_ rows: inout [UInt32], _ ends: inout [Int], _ reading: QueryReading<Entity>) throws {
    switch source {
    case .all: break
    case .ids(let ids):
      let wanted = try ids.compactMap { try reading.mapping.row($0, reading.snapshot) }
      Self.keep(wanted, &rows, &ends)
    case .rows(let find):
      if let combined = origin as? CombinedOrigin<Entity> {
        try combined.combination.narrow(&rows, &ends, combined.parts.elements, reading)
      } else {
        Self.keep(try find(reading.context), &rows, &ends)
      }
    }
    for stage in stages { try reading.narrow(&rows, &ends, by: stage) }
  }

  /// Keeps of each list those that are wanted, in their order, each as often as it is wanted.
  private static func keep(_ wanted: [UInt32], _ rows: inout [UInt32], _ ends: inout [Int]) {
    let all = Set(wanted)
    var places: [UInt32: [Int]] = [:]
    for (place, row) in wanted.enumerated() { places[row, default: []].append(place) }
    var result: [UInt32] = []
    var start = 0
    for list in ends.indices {
      // Not all that is wanted is gone through for each list.
      let found = Set(rows[start..<ends[list]].filter(all.contains)).flatMap { places[$0] ?? [] }.sorted()
      start = ends[list]
      result += found.map { wanted[$0] }
      ends[list] = result.count
    }
    rows = result
  }
}

extension Combination {
  /// Puts together what queries give of each of several lists. What comes from any of them comes in the order of the list.
  func narrow<Entity>(
    _ rows: inout [UInt32], _ ends: inout [Int], _ parts: [QueryList<Entity>], _ reading: QueryReading<Entity>
  ) throws {
    let narrowed = try parts.map { part in
      var (rows, ends) = (rows, ends)
      try part.narrow(&rows, &ends, reading)
      return (rows: rows, ends: ends)
    }
    var result: [UInt32] = []
    var newEnds: [Int] = []
    for list in ends.indices {
      func part(_ rows: [UInt32], _ ends: [Int]) -> ArraySlice<UInt32> {
        rows[(list == 0 ? 0 : ends[list - 1])..<ends[list]]
      }
      let given = narrowed.map { part($0.rows, $0.ends) }
      let first = given.first ?? []
      var seen = Set<UInt32>()
      switch self {
      case .anyOf:
        let wanted = Set(given.joined())
        result += part(rows, ends).filter { wanted.contains($0) && seen.insert($0).inserted }
      case .bothOf:
        let others = given.dropFirst().map { Set($0) }
        result += first.filter { row in others.allSatisfy { $0.contains(row) } }
      case .eachOnceOf: result += first.filter { seen.insert($0).inserted }
      case .lastOf: result += first.suffix(1)
      }
      newEnds.append(result.count)
    }
    (rows, ends) = (result, newEnds)
  }
}
