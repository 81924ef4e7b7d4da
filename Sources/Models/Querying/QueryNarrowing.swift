import GQLStore

extension QueryList {
  /// What a closure makes of a list that it gets.
  static func given(_ modifier: (Self) -> Self) -> Self {
    let list = GivenList()
    var query = modifier(Self(.targets(list)))
    query.given = list
    return query
  }

  /// The same of one entity.
  static func given(one modifier: (Query<Entity>) -> Query<Entity>) -> Self {
    given { modifier(Query($0)).asList }
  }

  /// Whether its stages alone say what it gives of the list that it was made for.
  var isOfList: Bool { isOf(given) }

  private func isOf(_ list: GivenList?) -> Bool {
    switch source {
    case .targets(let other): other === list
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
  func narrow(
    _ rows: inout [UInt32], _ ends: inout [Int], _ reading: QueryReading<Entity>, of list: GivenList?
  ) throws {
    switch source {
    case .rows(let find) where isOfTargets:
      if let combined = origin as? CombinedOrigin<Entity> {
        try combined.combination.narrow(&rows, &ends, combined.parts.elements, reading, of: list)
      } else {
        try Self.keep(find, &rows, &ends, reading, of: list)
      }
    default: if !isOf(list) { return Self.keep(try self.rows(reading), &rows, &ends) }
    }
    for stage in stages { try reading.narrow(&rows, &ends, by: stage) }
  }

  /// Keeps of each list what entities give that relations lead to from the list itself, each once.
  private static func keep(
    _ find: (Context) throws -> [UInt32], _ rows: inout [UInt32], _ ends: inout [Int], _ reading: QueryReading<Entity>,
    of given: GivenList?
  ) throws {
    var result: [UInt32] = []
    var start = 0
    for list in ends.indices {
      let own = Array(rows[start..<ends[list]])
      start = ends[list]
      var left = Set(own)
      func found() throws -> [UInt32] { try find(reading.context) }
      result += try (given?.withRows(own, on: reading.snapshot, found) ?? found()).filter { left.remove($0) != nil }
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

extension Combination {
  /// Puts together what queries give of each of several lists. What comes from any of them comes in the order of the list.
  func narrow<Entity>(
    _ rows: inout [UInt32], _ ends: inout [Int], _ parts: [QueryList<Entity>], _ reading: QueryReading<Entity>,
    of list: GivenList?
  ) throws {
    let narrowed = try parts.map { part in
      var (rows, ends) = (rows, ends)
      try part.narrow(&rows, &ends, reading, of: list)
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
