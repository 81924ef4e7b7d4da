import GQLCatalog
import GQLQuery

/// An order in which an access path delivers its rows.
///
/// After its terms rows stand in canonical order, the order of insertion.
struct DeliveredOrder {
  struct Term {
    let column: ColumnID
    let isDescending: Bool
    /// Indicates where nulls stand; nil where there are none.
    let nullsFirst: Bool?
  }
  let terms: [Term]
  /// Holds the column of ids, where they ascend with insertion.
  var ids: ColumnID?
}

/// A comparison of the order that is wanted with one that is delivered.
package enum OrderMatch: Equatable {
  case none
  /// Rows that agree in so many of the first terms stand together, in the order of these terms.
  case prefix(Int)
  case satisfied
}

/// An order that is wanted, without the terms that decide nothing.
private struct WantedOrder {
  /// Holds the columns, with the place of each among the set's terms.
  var columns: [(column: ColumnID, term: BoundOrderTerm, place: Int)] = []
  /// Indicates whether all terms that decide are columns.
  var hasOnlyColumns = true
  /// Indicates whether no two rows agree in all columns, so that rows need no order among equals.
  var isUnique = false

  /// - Parameter fixed: The columns that are equal in all rows.
  init(_ set: BoundSet, fixed: ArraySlice<ColumnID>, _ catalog: Catalog) {
    // A few columns, so that no hash is worth its memory.
    var known = Array(fixed)
    for (place, term) in set.order.enumerated() {
      if term.expression.isConstantOrParameter { continue }
      guard case .column(.scope(0, _), let column) = term.expression.kind else {
        hasOnlyColumns = false
        return
      }
      if known.contains(column) { continue }
      known.append(column)
      columns.append((column, term, place))
      // Nothing can be equal in unique columns and differ in what follows.
      isUnique = catalog[set.type].indexes.contains { id in
        guard catalog[id].isUnique || catalog[id].isPrimary else { return false }
        return catalog[id].columns.allSatisfy { key in
          let key = catalog[set.type][key].foldedFrom ?? key
          return known.contains(key) && (fixed.contains(key) || catalog[set.type][key].isNonNull)
        }
      }
      if isUnique { return }
    }
  }
}

extension BoundQuery {
  /// Returns whether no two rows agree in all terms of a set's order, which are columns.
  func decides(_ set: BoundSet, catalog: Catalog) -> Bool { WantedOrder(set, fixed: [], catalog).isUnique }

  /// Compares the order of a set with those in which the path can be walked, and returns the better one: how far it goes,
  /// and whether backwards.
  ///
  /// - Parameter idsAscend: Whether ids ascend with insertion, so that rows in canonical order stand by their ids.
  package func orderMatch(_ path: AccessPath, _ set: BoundSet, catalog: Catalog, idsAscend: Bool) -> (
    match: OrderMatch, descending: Bool
  ) {
    let ids = idsAscend ? catalog.idColumn(of: set.type) : nil
    if case .textSearch(_, let columns, let words) = path, servesScore(columns, words, set) {
      return (set.order.count == 1 ? .satisfied : .prefix(1), true)
    }
    if let fixed = path.fixedColumns(catalog) {
      if set.order.isEmpty { return (.none, false) }
      // Rows stand by their ids at most.
      switch set.firstTerm(beside: fixed[...]) {
      case .none: return (.satisfied, false)
      case .column(let column, let isDescending): return (column == ids && !isDescending ? .satisfied : .none, false)
      case .computed: return (.none, false)
      }
    }
    guard case .range(let id, let range) = path, !range.onlyNulls, range.firstOfEach == 0, !set.order.isEmpty
    else { return (.none, false) }
    let fixed = catalog[id].columns.prefix(range.equal.count)
    let walked = catalog[id].columns.dropFirst(range.equal.count)
    // Most indexes have nothing of the order: no more is looked at then.
    if let first = walked.first {
      switch set.firstTerm(beside: fixed) {
      case .none: break
      case .column(let column, _): if column != first { return (.none, false) }
      case .computed: return (.none, false)
      }
    }
    let type = catalog[set.type]
    // Under a null key the walk is that of the rows with a null, whose order is another.
    if !walked.isEmpty, let last = fixed.last, !type[last].isNonNull, let key = range.equal.last,
      mayBeNull(key, catalog: catalog)
    {
      return (.none, false)
    }
    let wanted = WantedOrder(set, fixed: fixed, catalog)
    let isBounded = range.lower != nil || range.upper != nil || range.prefix != nil
    func match(descending: Bool) -> OrderMatch {
      // Nulls of the first column that is walked come last in both directions; those of others are the greatest.
      let delivered = DeliveredOrder(
        terms: walked.enumerated().map { position, column in
          let hasNulls = !type[column].isNonNull && !(position == 0 && isBounded)
          return DeliveredOrder.Term(
            column: column, isDescending: descending, nullsFirst: hasNulls ? descending && position > 0 : nil)
        }, ids: ids)
      return self.match(wanted, delivered)
    }
    let forward = match(descending: false)
    let backward = match(descending: true)
    switch (forward, backward) {
    case (.satisfied, _): return (forward, false)
    case (_, .satisfied): return (backward, true)
    case (.prefix(let left), .prefix(let right)) where left < right: return (backward, true)
    case (.none, .prefix): return (backward, true)
    default: return (forward, false)
    }
  }

  /// Rows that agree in all columns of an index are walked in canonical order, in both directions: ascending by id where
  /// ids ascend with insertion.
  private func match(_ wanted: WantedOrder, _ delivered: DeliveredOrder) -> OrderMatch {
    var count = 0
    while count < min(wanted.columns.count, delivered.terms.count) {
      let (column, term, _) = wanted.columns[count]
      let given = delivered.terms[count]
      guard column == given.column, term.isDescending == given.isDescending,
        given.nullsFirst.map({ $0 == term.nullsFirst }) ?? true
      else { break }
      count += 1
    }
    if wanted.hasOnlyColumns, count == wanted.columns.count, wanted.isUnique || count == delivered.terms.count {
      return .satisfied
    }
    if count == delivered.terms.count, count < wanted.columns.count, let ids = delivered.ids,
      wanted.columns[count].column == ids, !wanted.columns[count].term.isDescending
    {
      return .satisfied
    }
    return count == 0 ? .none : .prefix(wanted.columns[count - 1].place + 1)
  }

  /// Returns whether the first term is the score of just this search, the best first.
  private func servesScore(_ columns: [ColumnID], _ words: BoundExpression, _ set: BoundSet) -> Bool {
    guard let term = set.order.first, term.isDescending,
      case .score(let matches) = term.expression.kind, matches.count == 1,
      case .matches(let texts, let query, let source)? = matches.first?.kind, source.columns == columns,
      texts.allSatisfy({ if case .column(.scope(0, _), _) = $0.kind { true } else { false } }),
      query.mapReferences({ $0.shifted(by: -1) }) == words
    else { return false }
    return true
  }
}

/// The first term of an order that decides anything.
private enum FirstTerm {
  case none
  case column(ColumnID, isDescending: Bool)
  case computed
}

extension BoundSet {
  /// Returns the first term of the order that decides anything among rows that agree in some columns.
  fileprivate func firstTerm(beside fixed: ArraySlice<ColumnID>) -> FirstTerm {
    for place in order.indices {
      if order[place].expression.isConstantOrParameter { continue }
      guard case .column(.scope(0, _), let column) = order[place].expression.kind else { return .computed }
      if !fixed.contains(column) { return .column(column, isDescending: order[place].isDescending) }
    }
    return .none
  }
}

extension Catalog {
  /// Returns the column of a type's ids; nil where an id is several fields, or none.
  func idColumn(of type: EntityTypeID) -> ColumnID? {
    guard self[type].kind == .entity else { return nil }
    guard let index = self[type].indexes.first, self[index].isPrimary, self[index].columns.count == 1 else {
      return nil
    }
    return self[index].columns.first
  }
}
