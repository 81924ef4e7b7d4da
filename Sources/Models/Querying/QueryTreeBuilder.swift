import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The values and the code of a query that its tree names by number.
struct QueryValues {
  var parameters: [Parameter] = []
  /// By number of the code; one stage may have a test and an order.
  var hosts: [(stage: AnyHostStage, part: HostPart)] = []
  /// All types of each schema that the query is of, by number; those of deleted entities stand for what they were.
  var types: [[AnyTypeMapping]] = []
  /// The schemas that these are of, but for that of the query.
  var otherSchemas: [ModelSchema] = []

  enum HostPart { case test, order, rows }
}

/// Makes trees of typed queries, and takes their values out.
struct QueryTreeBuilder {
  private(set) var values = QueryValues()
  /// Indicates whether Swift computes with floating-point numbers, because the planner has failed with them.
  let reckonsInSwift: Bool
  /// Indicates whether Swift could compute them.
  var canReckonInSwift = false
  /// The lists that closures got which enclose what is looked at, the innermost last.
  var lists: [ClosureList] = []
  /// How many relations below each other are part of the tree.
  private let depth: Int
  private var level = 0
  private let schema: ModelSchema
  private var schemas: [(schema: ModelSchema, deleted: EntityTypeID?)] = []
  /// The most relations that are found by one run: what is below is asked of the entities that there are.
  private static var largest: Int { 48 }

  /// - Parameter nested: What is wanted of the entities that are asked.
  init<Entity>(
    _ nested: [NestedQuery<Entity>], _ schema: ModelSchema, isShallow: Bool = false, reckonsInSwift: Bool = false
  ) {
    self.schema = schema
    self.reckonsInSwift = reckonsInSwift
    depth = isShallow ? 1 : Self.depth(of: nested)
  }

  /// As many levels as have not too many relations together; at least one.
  private static func depth<Entity>(of nested: [NestedQuery<Entity>]) -> Int {
    if nested.isEmpty { return 0 }
    func count(_ depth: Int) -> Int {
      var left = largest + 1
      for query in nested { query.countBranches(depth, &left) }
      return left
    }
    if count(NestingDepth.maximum) > 0 { return NestingDepth.maximum }
    var depth = 1
    while count(depth + 1) > 0 { depth += 1 }
    return depth
  }

  /// An empty tree of a type.
  mutating func tree<Entity>(of reading: QueryReading<Entity>, _ source: QueryTree.Source = .all) -> QueryTree {
    QueryTree(
      type: reading.mapping.type, types: types(of: reading),
      schema: reading.schema === schema ? nil : ObjectIdentifier(reading.schema), isOfDeleted: reading.isDeleted,
      hasMetadata: reading.mapping.hooks.keepsMetadata, source: source)
  }

  private mutating func types<Entity>(of reading: QueryReading<Entity>) -> Int {
    let deleted = reading.isDeleted ? reading.mapping.type : nil
    if let known = schemas.firstIndex(where: { $0.schema === reading.schema && $0.deleted == deleted }) { return known }
    schemas.append((reading.schema, deleted))
    values.types.append(reading.types)
    if reading.schema !== schema { values.otherSchemas.append(reading.schema) }
    return schemas.count - 1
  }

  // MARK: - Values

  mutating func add(_ parameters: [Parameter]) { values.parameters += parameters }

  mutating func add(_ parameter: Parameter) -> Int {
    values.parameters.append(parameter)
    return values.parameters.count - 1
  }

  mutating func add(_ stage: AnyHostStage, _ part: QueryValues.HostPart) -> Int {
    values.hosts.append((stage, part))
    return values.hosts.count - 1
  }

  mutating func change(_ number: Int, _ change: (inout Parameter) -> Void) { change(&values.parameters[number]) }

  /// Where a list that a closure got is found; one that is not in force is all of its type.
  func source(of list: ClosureList) -> QueryTree.Source {
    lists.lastIndex { $0 === list }.map { .list(lists.count - 1 - $0) } ?? .everything
  }

  // MARK: - Nested relations

  /// Adds what is wanted of the entities' relations.
  mutating func nest<Entity>(
    _ nested: [NestedQuery<Entity>], _ reading: QueryReading<Entity>, into tree: inout QueryTree
  ) throws {
    if nested.isEmpty { return }
    guard level < depth else {
      tree.isOpen = true
      return
    }
    level += 1
    defer { level -= 1 }
    tree.nested.reserveCapacity(nested.count)
    for query in nested { tree.nested.append(try query.branch(reading, &self)) }
  }

  /// The tree of what a closure has made of the targets of a relation, or of what stands for these.
  mutating func tree<Target>(
    of list: QueryList<Target>, _ reading: QueryReading<Target>, nested: [NestedQuery<Target>]
  ) throws -> QueryTree {
    let enclosing = lists
    defer { lists = enclosing }
    lists = list.given.map { [$0] } ?? []
    var tree = try reading.tree(of: list, &self)
    try nest(nested, reading, into: &tree)
    return tree
  }
}

extension QueryReading {
  /// Returns the tree of a query, without what is nested.
  func tree(of list: QueryList<Entity>, _ builder: inout QueryTreeBuilder) throws -> QueryTree {
    var tree = builder.tree(of: self)
    switch list.source {
    case .all: break
    case .list(let list): tree.source = builder.source(of: list)
    case .ids(let ids): tree.source = source(of: ids, &builder)
    case .made(let source): tree.source = try source.tree(self, &builder)
    }
    for stage in list.stages { tree.stages.append(try self.stage(stage, &builder)) }
    return tree
  }

  /// The entities of ids. What cannot be in the column is not saved; deleted ones no index knows.
  private func source(of ids: [Entity.ID], _ builder: inout QueryTreeBuilder) -> QueryTree.Source {
    guard let column = mapping.columns[mapping.info.idAttribute], !isDeleted else {
      return .host(builder.add(HostRows(self, ids), .rows))
    }
    let keys = ids.compactMap { key($0, column) }
    if ids.count == 1 {
      guard let key = keys.first else { return .nothing }
      return .key(builder.add(Parameter(value: key, type: column.type)))
    }
    return .keys(builder.add(Parameter(value: .list(keys), type: .list(column.type))))
  }

  /// An id as its column holds it.
  private func key(_ id: Entity.ID, _ column: ColumnDescriptor) -> Value? {
    guard let scalar = column.type.scalar else { return nil }
    if scalar == .string, let text = id as? String { return .string(Text(text)) }
    return try? mapping.withKey(id) { Value($0.pointee, scalar) }
  }

  /// A stage: what the planner can do of it, and what is left to the program.
  func stage(_ stage: QueryStage<Entity>, _ builder: inout QueryTreeBuilder) throws -> QueryTree.Stage {
    let conjuncts = stage.conjuncts
    if conjuncts.contains(where: \.isTooDeep) { throw NestingDepth.problem }
    var result = QueryTree.Stage()
    var rest = conjuncts
    result.condition = condition(&rest, &builder)
    var sort: [QueryOrder<Entity>] = []
    if stage.order.isEmpty {
      if result.condition?.searches.isEmpty == false { result.order = [.score] }
    } else if stage.order.contains(where: { $0.key?.isMetadata == true }), !mapping.hooks.keepsMetadata {
      result.isEmpty = true
    } else {
      let keys = stage.order.compactMap(\.key)
      if keys.count == stage.order.count, keys.allSatisfy(isPlannable) {
        result.order = schema.hasInstants ? InstantComparing.exact(keys, mapping, snapshot) : keys
      } else {
        sort = stage.order
      }
    }
    if !rest.isEmpty || !sort.isEmpty {
      let host = HostStage(self, rest, sort)
      if !rest.isEmpty { result.test = builder.add(host, .test) }
      if !sort.isEmpty { result.sort = builder.add(host, .order) }
    }
    if let limit = stage.limit {
      if limit <= 0 || stage.offset < 0 {
        result.isEmpty = true
      } else {
        result.limit = builder.add(Parameter(value: .int(Int64(limit)), type: .int))
        if stage.offset > 0 {
          result.offset = builder.add(Parameter(value: .int(Int64(stage.offset)), type: .int))
        }
      }
    }
    return result
  }

  /// Returns the conditions that columns can tell. Those that are left stay in `conjuncts`.
  private func condition(
    _ conjuncts: inout [QueryPredicate<Entity>], _ builder: inout QueryTreeBuilder
  ) -> Term? {
    var terms: [Term] = []
    var rest: [QueryPredicate<Entity>] = []
    var isGuarded = false
    for conjunct in conjuncts {
      if conjunct.canReckonInSwift {
        builder.canReckonInSwift = true
        if builder.reckonsInSwift {
          rest.append(conjunct)
          continue
        }
      }
      // What may fail stays behind what is looked at in Swift, which may guard it.
      if let term = conjunct.term, !isGuarded || !term.canFail, isPlannable(term),
        let (exact, added) = exact(term, conjunct.parameters)
      {
        let first = builder.values.parameters.count
        terms.append(exact.shifted(by: first))
        builder.add(added)
        takeTypes(first..<first + added.count, &builder)
      } else {
        rest.append(conjunct)
        isGuarded = true
      }
    }
    conjuncts = rest
    return terms.count > 1 ? .and(terms) : terms.first
  }

  /// Gives values the types that the schema has for what they are compared with.
  private func takeTypes(_ numbers: Range<Int>, _ builder: inout QueryTreeBuilder) {
    let isUsual = !mapping.hasOtherTypes && !mapping.info.hasEnums
    for number in numbers {
      guard let place = builder.values.parameters[number].attribute else { continue }
      if place.type == ObjectIdentifier(Entity.self) {
        if !isUsual { builder.change(number) { $0.takeType(of: mapping.columns[place.attribute]) } }
      } else {
        let column = schema.column(place)
        builder.change(number) { $0.takeType(of: column) }
      }
    }
  }

  /// A condition that compares instants as Swift does, with its parameters; nil where only Swift can tell.
  private func exact(_ term: Term, _ parameters: [Parameter]) -> (Term, [Parameter])? {
    if !schema.hasInstants { return (term, parameters) }
    var comparing = InstantComparing(types, mapping.type, snapshot, parameters)
    return comparing.exact(term).map { ($0, comparing.parameters) }
  }
}
