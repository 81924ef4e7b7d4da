import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// Constants, and the rows of entities.
extension ExpressionCompiler {
  func constant(
    _ value: Value, _ type: ValueType, _ range: SourceRange, _ builder: inout BlockBuilder
  ) -> Int32 {
    var node = Node(operation: .constant, kind: Vector.Kind(type), range: range)
    node.index = Int32(truncatingIfNeeded: builder.constants.count)
    builder.constants.append(pool.cell(value, type))
    return builder.add(node, type)
  }

  func entityType(_ reference: EntityReference) -> EntityTypeID {
    switch reference {
    case .scope(_, let type): type
    case .toOne(_, let relation): catalog[relation].target
    case .firstOf(_, let type): type
    }
  }

  /// The node of the entity's rows.
  func rows(_ reference: EntityReference, _ range: SourceRange, _ builder: inout BlockBuilder) -> Int32 {
    if let node = builder.knownEntities[reference] { return node }
    var node = Node(operation: .scopeRows, kind: .rows, range: range)
    switch reference {
    case .scope(let depth, let type):
      if depth == 0 { builder.entityType = type }
      node.index = Int32(truncatingIfNeeded: depth)
    case .toOne(let base, let relation):
      if case .scope(0, _) = base { builder.needsRows = true }
      node.operation = .toOne
      node.a = rows(base, range, &builder)
      node.entity = catalog[relation].source.index
      node.index = catalog[relation].column.index
    case .firstOf(let references, let type):
      var last: Int32 = -1
      for reference in references {
        let next = rows(reference, range, &builder)
        if last < 0 {
          last = next
          continue
        }
        var choice = Node(operation: .firstRow, kind: .rows, range: range)
        (choice.a, choice.b) = (last, next)
        last = builder.add(choice, .entity(type))
      }
      if last < 0 { last = builder.add(Node(operation: .firstRow, kind: .rows, range: range), .entity(type)) }
      builder.knownEntities[reference] = last
      return last
    }
    let index = builder.add(node, .entity(entityType(reference)))
    builder.knownEntities[reference] = index
    return index
  }
}
