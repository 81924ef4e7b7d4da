import GQLStore

extension QueryList {
  /// Whether its stages alone say what it gives of a list that a relation leads to.
  var isOfList: Bool {
    switch source {
    case .targets: true
    // Which ones are the first of all, no list tells.
    case .all: stages.allSatisfy { !$0.isSliced }
    case .ids, .rows: false
    }
  }

  /// Whether it begins with what closures of nested queries get, and not only with other entities.
  var isOfTargets: Bool {
    switch source {
    case .targets: true
    case .all, .ids: false
    case .rows: origin?.isOfTargets ?? false
    }
  }

  /// Keeps of each of several lists of rows, which stand one behind the other, what the query gives of it: as if there
  /// were no other entities where it begins with the list, and else those that it gives of all.
  func narrow(_ rows: inout [UInt32], _ ends: inout [Int], _ reading: QueryReading<Entity>) throws {
    if !isOfList, !isOfTargets { return Self.keep(try self.rows(reading), &rows, &ends) }
    if case .rows(let find) = source {
      if let combined = origin as? CombinedOrigin<Entity> {
        try combined.combination.narrow(&rows, &ends, combined.parts.elements, reading)
      } else {
        try Self.keep(find, &rows, &ends, reading)
      }
    }
    for stage in stages { try reading.narrow(&rows, &ends, by: stage) }
  }

  /// Keeps of each list what entities give that relations lead to from the list itself, each once.
  private static func keep(
    _ find: (Context) throws -> [UInt32], _ rows: inout [UInt32], _ ends: inout [Int], _ reading: QueryReading<Entity>
  ) throws {
    var result: [UInt32] = []
    var start = 0
    for list in ends.indices {
      let own = Array(rows[start..<ends[list]])
      start = ends[list]
      var left = Set(own)
      result += try ListScope.$rows.withValue(own) { try find(reading.context) }.filter { left.remove($0) != nil }
      ends[list] = result.count
    }
    rows = result
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

/// The list of which a query within a closure is asked at the moment.
enum ListScope {
  @TaskLocal static var rows: [UInt32]?
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
