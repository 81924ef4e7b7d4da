import GQLCatalog

/// A query of one list, of which each element hangs on its own entity alone, and on those that to-one relations lead to
/// from it. So what changes in one entity changes one element, or the place where it stands.
package struct FlatListQuery: Sendable {
  /// The type of the entities.
  package let type: EntityTypeID
  /// The columns that are read of entities of other types, and of none where only it counts whether one is there.
  package let others: [EntityTypeID: Set<ColumnID>]
  /// The query of the elements of entities that are given: those that belong to the list, in its order.
  package let elements: BoundQuery
  /// The most elements of the list; nil for any number.
  package let limit: BoundExpression?
  /// Objects of the answer that one element may have.
  package let objectsPerElement: Int
}

extension BoundQuery {
  /// Returns the query as one of a flat list; nil where it is another one. Complexity: O(query).
  package func flatList(_ catalog: Catalog) -> FlatListQuery? {
    guard sets.count == 1, selections.count == 1, hosts.isEmpty, segments.isEmpty, fields.count == 1,
      let field = fields.first, field.condition == nil, case .many(let id) = field.content,
      let set = sets.first, let selection = selections.first, id.index == 0, selection.recursion == nil,
      set.source == .all, set.linkStatus == .live, set.distinctOn.isEmpty, set.offset == nil, set.paging == nil,
      parameters.allSatisfy({ $0.source != .now && $0.source != .newRow && $0.source != .input })
    else { return nil }
    var reader = FlatListReader(type: set.type, catalog: catalog)
    if let predicate = set.predicate { reader.read(predicate) }
    for term in set.order { reader.read(term.expression) }
    switch selection.shape {
    case .object(let fields): reader.read(fields)
    case .value(let expression): reader.read(expression)
    case .groups: return nil
    }
    guard reader.isFlat else { return nil }
    var elements = self
    elements.sets[0].source = .given
    elements.sets[0].limit = nil
    elements.sets[0].hint = nil
    return FlatListQuery(
      type: set.type, others: reader.others, elements: elements, limit: set.limit,
      objectsPerElement: 1 + reader.objects)
  }
}

/// A reader of what the elements of a list hang on.
private struct FlatListReader {
  let type: EntityTypeID
  let catalog: Catalog
  var others: [EntityTypeID: Set<ColumnID>] = [:]
  var objects = 0
  var isFlat = true

  mutating func read(_ fields: [BoundField]) {
    for field in fields {
      switch field.content {
      case .typename: break
      case .value(let expression): read(expression)
      case .embedded(let presence, let inner):
        objects += 1
        read(presence)
        read(inner)
      case .inlined(let condition, let inner):
        read(condition)
        read(inner)
      case .one, .many, .introspection, .recursion, .depth, .cycle, .cursor: isFlat = false
      }
    }
  }

  mutating func read(_ expression: BoundExpression) {
    var references: [(EntityReference, ColumnID?)] = []
    var isFlat = true
    expression.forEachNode { node in
      switch node.kind {
      // What a score is hangs on all texts, and what code of the program finds on anything.
      case .quantifier, .aggregate, .groupAggregate, .score, .invoke, .host, .inRowSet, .isDeleted, .isInserted:
        isFlat = false
      case .column(let reference, let column): references.append((reference, column))
      default: if let reference = node.ownReference { references.append((reference, nil)) }
      }
    }
    if !isFlat { self.isFlat = false }
    for (reference, column) in references { read(reference, column) }
  }

  private mutating func read(_ reference: EntityReference, _ column: ColumnID?) {
    switch reference {
    case .scope: break
    case .toOne(let base, let relation):
      let target = catalog[relation].target
      // An entity that another element shows as well.
      if target == type { isFlat = false }
      var columns = others[target] ?? []
      if let column { columns.insert(catalog[target][column].foldedFrom ?? column) }
      others[target] = columns
      read(base, catalog[relation].column)
    case .firstOf(let references, _): for reference in references { read(reference, column) }
    }
  }
}
