import GQLCatalog

extension BoundQuery {
  /// Returns the types of which the query may read entities, be it only to see whether a link leads to one.
  package func typesRead(_ catalog: Catalog) -> Set<EntityTypeID> {
    var reading = TypesRead(catalog: catalog)
    for set in sets { reading.add(set) }
    for selection in selections { reading.add(selection) }
    reading.add(fields)
    for host in hosts { for path in host.inputs { for relation in path { reading.add(relation) } } }
    return reading.types
  }

  /// Returns what the query reads of the hidden types of a ``VersionCatalog``.
  package func pastRolesRead(_ catalog: Catalog) -> Set<EntityType.PastRole> {
    // Such types come last.
    if catalog.types.last?.pastRole == nil { return [] }
    var parts = [self]
    for segment in segments {
      switch segment {
      case .query(let part), .past(_, let part): parts.append(part)
      case .mutation, .undo, .command: break
      }
    }
    return Set(parts.flatMap { $0.typesRead(catalog) }.compactMap { catalog[$0].pastRole })
  }
}

private struct TypesRead {
  let catalog: Catalog
  var types: Set<EntityTypeID> = []

  mutating func add(_ relation: RelationID) {
    types.insert(catalog[relation].source)
    types.insert(catalog[relation].target)
  }

  mutating func add(_ reference: EntityReference) {
    switch reference {
    case .scope(_, let type): types.insert(type)
    case .toOne(let base, let relation):
      add(base)
      add(relation)
    case .firstOf(let references, let type):
      types.insert(type)
      for reference in references { add(reference) }
    }
  }

  mutating func add(_ expression: BoundExpression?) {
    guard let expression else { return }
    var found: [EntityReference] = []
    expression.forEachNode { if let reference = $0.ownReference { found.append(reference) } }
    for reference in found { add(reference) }
  }

  mutating func add(_ set: BoundSet) {
    types.insert(set.type)
    add(set.source)
    for expression in [set.predicate, set.limit, set.offset, set.paging?.after, set.paging?.before] { add(expression) }
    for term in set.order { add(term.expression) }
    for expression in set.distinctOn { add(expression) }
  }

  private mutating func add(_ source: BoundSet.Source) {
    switch source {
    case .all, .deleted, .given, .union, .members, .each, .host: break
    case .key(_, let keys): for key in keys { add(key) }
    case .relation(let reference, let relation):
      add(reference)
      add(relation)
    case .step(_, let relation), .linked(_, let relation): add(relation)
    case .items(let reference, _): add(reference)
    case .routes(_, let routes, _): for route in routes { for relation in route { add(relation) } }
    case .branches(let branches):
      for branch in branches {
        add(branch.reference)
        add(branch.relation)
        for cast in branch.casts { for relation in cast { add(relation) } }
      }
    case .closure(let closure):
      add(closure.start)
      add(closure.lower)
      add(closure.upper)
    case .shortestPath(let path):
      add(path.start)
      add(path.target)
      add(path.maximumDepth)
    case .keys(_, let list): add(list)
    }
  }

  private mutating func add(_ end: TraversalEnd) { if case .entity(let reference) = end { add(reference) } }

  mutating func add(_ selection: BoundSelection) {
    switch selection.shape {
    case .object(let fields): add(fields)
    case .value(let expression): add(expression)
    case .groups(let grouping):
      for expression in grouping.expressions { add(expression) }
      add(grouping.fields)
    }
    if let recursion = selection.recursion {
      add(recursion.depth)
      if let entry = recursion.entry { add(entry) }
    }
  }

  mutating func add(_ fields: [BoundField]) {
    for field in fields {
      add(field.condition)
      switch field.content {
      case .typename, .one, .many, .recursion, .depth, .cycle, .cursor: break
      case .introspection(let bound): for input in bound.inputs { add(input) }
      case .value(let expression): add(expression)
      case .embedded(let presence, let inner), .inlined(let presence, let inner):
        add(presence)
        add(inner)
      }
    }
  }
}
