/// Where the rows of a query come from that are not those of a type.
@usableFromInline class QueryOrigin<Entity: EntityModelProtocol> {
  /// How many queries take what others give, one behind the other.
  let depth: Int

  init(depth: Int) { self.depth = depth }

  /// Whether the rows hang on what closures of nested queries get, see ``QueryList/isOfTargets``.
  var isOfTargets: Bool { false }

  /// The plan of the rows, and what `list` does with them. Nil if the context does not know a type.
  func explain(_ list: QueryList<Entity>, _ explanation: inout QueryExplanation) -> String? { nil }
}

/// How rows of queries for the same type are put together.
enum Combination: String {
  case anyOf = "any of"
  case bothOf = "both of"
  case eachOnceOf = "each once of"
  case lastOf = "the last of"

  func rows<Entity>(_ parts: SharedList<QueryList<Entity>>, _ reading: QueryReading<Entity>) throws -> [UInt32] {
    let parts = parts.elements
    guard var rows = try parts.first?.rows(reading) else { return [] }
    switch self {
    case .anyOf:
      for part in parts.dropFirst() { rows += try part.rows(reading) }
      return Self.eachOnce(rows).sorted()
    case .bothOf:
      for part in parts.dropFirst() {
        let wanted = Set(try part.rows(reading))
        rows.removeAll { !wanted.contains($0) }
      }
      return rows
    case .eachOnceOf: return Self.eachOnce(rows)
    case .lastOf: return Array(rows.suffix(1))
    }
  }

  private static func eachOnce(_ rows: [UInt32]) -> [UInt32] {
    var seen = Set<UInt32>()
    return rows.filter { seen.insert($0).inserted }
  }
}

/// Rows of other queries for the same type, put together in Swift.
final class CombinedOrigin<Entity: EntityModelProtocol>: QueryOrigin<Entity> {
  let combination: Combination
  let parts: SharedList<QueryList<Entity>>
  private let hasTargets: Bool
  override var isOfTargets: Bool { hasTargets }

  init(_ combination: Combination, _ parts: [QueryList<Entity>]) {
    self.combination = combination
    self.parts = SharedList(parts)
    hasTargets = parts.contains(where: \.isOfTargets)
    super.init(depth: Self.depth(parts))
  }

  private init(_ other: CombinedOrigin, _ more: [QueryList<Entity>]) {
    combination = other.combination
    parts = other.parts.appending(more)
    hasTargets = other.isOfTargets || more.contains(where: \.isOfTargets)
    super.init(depth: max(other.depth, Self.depth(more)))
  }

  private static func depth(_ parts: [QueryList<Entity>]) -> Int {
    1 + parts.reduce(0) { max($0, $1.origin?.depth ?? 0) }
  }

  func with(_ more: [QueryList<Entity>]) -> CombinedOrigin { CombinedOrigin(self, more) }

  override func explain(_ list: QueryList<Entity>, _ explanation: inout QueryExplanation) -> String? {
    var text = "\(combination.rawValue)\n"
    for part in parts.elements {
      var bare = part
      bare.nested = []
      guard let plan = bare.explain(&explanation) else { return nil }
      text += plan.split(separator: "\n").map { "  \($0)\n" }.joined()
    }
    guard let rest = list.explainStages(list.stages[...], &explanation, word: "then") else { return nil }
    return text + rest
  }
}

/// What a query gives of each of the lists of a group.
final class EachOrigin<Entity: EntityModelProtocol>: QueryOrigin<Entity> {
  private let group: QueryOrigin<Entity>
  private let each: QueryList<Entity>

  init(_ group: QueryOrigin<Entity>, _ each: QueryList<Entity>) {
    self.group = group
    self.each = each
    super.init(depth: 1 + max(group.depth, each.origin?.depth ?? 0))
  }

  override var isOfTargets: Bool { group.isOfTargets }

  override func explain(_ list: QueryList<Entity>, _ explanation: inout QueryExplanation) -> String? {
    var each = each
    let isLast = list.stages.isEmpty
    each.nested = isLast ? list.nested : []
    guard let text = group.explain(each, &explanation) else { return nil }
    if isLast { return text }
    return list.explainStages(list.stages[...], &explanation, word: "then").map { text + $0 }
  }
}

/// Takes the place of too many queries that take what others give.
final class TooDeepOrigin<Entity: EntityModelProtocol>: QueryOrigin<Entity> {
  init() { super.init(depth: NestingDepth.maximumOrigins) }

  override func explain(_ list: QueryList<Entity>, _ explanation: inout QueryExplanation) -> String? {
    "\(NestingDepth.problem(NestingDepth.maximumOrigins))\n"
  }
}

extension QueryList {
  /// Says where the rows of the source come from; if that is too far, the query fails, and holds nothing of it.
  mutating func setOrigin(_ origin: QueryOrigin<Entity>) {
    self.origin = origin
    if origin.depth <= NestingDepth.maximumOrigins { return }
    source = .rows { _ in throw NestingDepth.problem(NestingDepth.maximumOrigins) }
    self.origin = TooDeepOrigin()
  }
}
