import GQLQuery

/// How deep queries may be nested: relations within relations, and queries that take what other queries give. Each depth
/// needs some of the stack when the query runs.
enum NestingDepth {
  static var maximum: Int { 64 }

  /// Of queries that take what others give: these are gone through twice to be explained.
  static var maximumSources: Int { 32 }

  /// Of conditions that the planner is given, which needs several KiB for each; deeper ones are told in Swift.
  static var maximumPlanned: Int { 24 }

  static var problem: ModelError { problem(maximum) }
  static func problem(_ maximum: Int) -> ModelError { .failedQuery("it is nested more than \(maximum) deep") }
}

/// Takes the place of what is nested too deep: the query fails when it runs.
final class TooDeepQuery<Parent: EntityModelProtocol>: NestedQuery<Parent> {
  override var depth: Int { NestingDepth.maximum + 1 }

  override func branch(_ reading: QueryReading<Parent>, _ builder: inout QueryTreeBuilder) throws -> QueryTree.Branch {
    throw NestingDepth.problem
  }

  override func isAlwaysReadable(_ seen: inout Set<ObjectIdentifier>) -> Bool { false }
}

extension QueryList {
  /// How many relations lie within one another.
  var nestedDepth: Int { nested.reduce(0) { max($0, $1.depth) } }

  /// Whether loading what is nested cannot fail, whatever another program has put into columns.
  var nestedIsAlwaysReadable: Bool {
    var seen: Set<ObjectIdentifier> = []
    return nested.allSatisfy { $0.isAlwaysReadable(&seen) }
  }

  /// What takes all relations, one form for each depth.
  static func bulk(_ levels: ArraySlice<Nested>) -> [NestedQuery<Entity>] {
    if levels.count > NestingDepth.maximum { return [TooDeepQuery()] }
    return BulkNesting().nested(Entity.self, levels)
  }
}

/// Makes what takes all relations at several depths. Types lead to each other in many ways, so that each has one at each
/// depth, which stands at many places.
final class BulkNesting {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let level: Int
  }
  private var made: [Key: [AnyObject]] = [:]

  func nested<Entity: EntityModelProtocol>(_ type: Entity.Type, _ levels: ArraySlice<Nested>) -> [NestedQuery<Entity>] {
    if levels.isEmpty { return [] }
    let key = Key(type: ObjectIdentifier(type), level: levels.startIndex)
    // Safe because there is one kind of query under the key of a type.
    if let known = made[key] { return known.map { unsafeDowncast($0, to: NestedQuery<Entity>.self) } }
    let new = EntityInfo<Entity>.shared.relations.compactMap { $0.nested(levels, self) }
    made[key] = new
    return new
  }
}
