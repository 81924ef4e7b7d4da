import GQLBase
import GQLCatalog
import GQLRegex

/// How the rows of a set are found, before its filter.
package indirect enum AccessPath: Sendable, Hashable {
  /// The set's own source: rows by relation, step or key; nothing to choose.
  case source
  /// Every live row, in canonical order.
  case scan
  /// Rows of a hash or unique index (the primary one too) under one key: one expression per key column. A null
  /// component finds the rows with a null there.
  case lookup(IndexID, [BoundExpression])
  /// The union of lookups under each of the values: `x in [a, b]` on the only key column. A single list-valued
  /// expression (parameter) stands for its elements. The index may be a B-tree. A null finds the rows with a null.
  case lookupEach(IndexID, [BoundExpression])
  /// Rows of a B-tree, or of the index over ids, within bounds. In key order only where `SetPlan.order` walks it.
  case range(IndexID, IndexRange)
  /// Rows that all, or any, of the paths give.
  case intersection([AccessPath])
  case union([AccessPath])
  /// The rows of `PhysicalPlan.rowSets[i]`.
  case rowSet(Int)
  /// No row can match.
  case empty
  /// Rows whose `_createdAt` or `_updatedAt` (the column) is within the bounds: pages beyond them are passed over.
  case timeRange(EntityTypeID, ColumnID, IndexRange)
  /// Rows that a full-text index finds in these of its columns. A null query finds none.
  case textSearch(IndexID, [ColumnID], BoundExpression)
  /// Rows that a trigram index offers for a condition on the text of its column, or on that text folded: all for which
  /// it is true, and others. A null pattern finds none, one without a trigram every live row.
  case trigramCandidates(IndexID, ColumnID, TextCondition, BoundExpression)
  /// Rows that an index over the elements of lists offers for lists that hold all of the values, and others. A null asks
  /// for nothing.
  case elementCandidates(IndexID, ColumnID, [BoundExpression])
  /// The rows for which the first expressions, over the element alone, equal the second, over what encloses the set:
  /// a hash join, through a table of all rows that is made once a run; of those of the set's source, where it has one.
  /// Null equals null.
  case hashJoin([BoundExpression], [BoundExpression])
}

/// The bounds of a B-tree access: equal leading components, then at most one bounded or prefixed component.
package struct IndexRange: Sendable, Hashable {
  package struct Bound: Sendable, Hashable {
    package var value: BoundExpression
    package var isInclusive: Bool
    package init(_ value: BoundExpression, isInclusive: Bool) {
      self.value = value
      self.isInclusive = isInclusive
    }
  }
  /// A null finds the rows with a null there.
  package var equal: [BoundExpression]
  /// A bound or prefix that is null finds nothing.
  package var lower: Bound?
  package var upper: Bound?
  /// The component behind `equal` starts with this text.
  package var prefix: BoundExpression?
  /// Indicates whether rows whose component behind `equal` is null belong: an ordered walk of everything wants them (last),
  /// a comparison does not.
  package var includesNulls: Bool
  /// Only the rows whose first component is null: `x is null`.
  package var onlyNulls: Bool
  /// Of the rows that agree in so many leading components, the first only: each key is sought after the one before. 0
  /// for all rows.
  package var firstOfEach = 0

  package init(
    equal: [BoundExpression] = [], lower: Bound? = nil, upper: Bound? = nil, prefix: BoundExpression? = nil,
    includesNulls: Bool = false, onlyNulls: Bool = false
  ) {
    self.equal = equal
    self.lower = lower
    self.upper = upper
    self.prefix = prefix
    self.includesNulls = includesNulls
    self.onlyNulls = onlyNulls
  }
}

extension IndexRange {
  /// Indicates whether anything narrows it.
  package var isBounded: Bool { !equal.isEmpty || lower != nil || upper != nil || prefix != nil || onlyNulls }

  /// All expressions that the bounds are computed from.
  package var expressions: [BoundExpression] {
    var result = equal
    if let lower { result.append(lower.value) }
    if let upper { result.append(upper.value) }
    if let prefix { result.append(prefix) }
    return result
  }
}

// MARK: - Facts

extension AccessPath {
  /// The facts of its kind that no row asks for.
  package var form: any AccessForm {
    switch self {
    case .source: SourceForm()
    case .scan: ScanForm()
    case .lookup(let index, let keys): LookupForm(index: index, keys: keys)
    case .lookupEach(let index, let keys): LookupEachForm(index: index, keys: keys)
    case .range(let index, let range): IndexRangeForm(index: index, range: range)
    case .intersection(let paths): CombinedForm(paths: paths, isUnion: false)
    case .union(let paths): CombinedForm(paths: paths, isUnion: true)
    case .rowSet(let number): RowSetForm(number: number)
    case .empty: EmptyForm()
    case .timeRange(let type, let column, let range): TimeRangeForm(type: type, column: column, range: range)
    case .textSearch(let index, let columns, let query):
      TextSearchForm(index: index, columns: columns, query: query)
    case .trigramCandidates(let index, let column, let condition, let pattern):
      TrigramForm(index: index, column: column, condition: condition, pattern: pattern)
    case .elementCandidates(let index, let column, let values):
      ElementForm(index: index, column: column, values: values)
    case .hashJoin(let build, let keys): HashJoinForm(build: build, keys: keys)
    }
  }

  /// The paths that it combines.
  package var parts: [AccessPath] {
    switch self {
    case .intersection(let paths), .union(let paths): paths
    default: []
    }
  }

  /// The index that it reads, if it reads one.
  package var index: IndexID? {
    switch self {
    case .lookup(let id, _), .lookupEach(let id, _), .range(let id, _), .textSearch(let id, _, _),
      .trigramCandidates(let id, _, _, _), .elementCandidates(let id, _, _):
      id
    case .source, .scan, .intersection, .union, .rowSet, .empty, .timeRange, .hashJoin: nil
    }
  }

  /// The row sets that it reads, by number.
  package var rowSets: [Int] {
    if case .rowSet(let number) = self { [number] } else { parts.flatMap(\.rowSets) }
  }

  /// Returns the path with other numbers of row sets.
  package func mapRowSets(_ change: (Int) -> Int) -> AccessPath {
    switch self {
    case .rowSet(let number): .rowSet(change(number))
    case .intersection(let paths): .intersection(paths.map { $0.mapRowSets(change) })
    case .union(let paths): .union(paths.map { $0.mapRowSets(change) })
    default: self
    }
  }

  /// All expressions that keys and bounds are computed from; of a hash join those of the probing side.
  package var keyExpressions: [BoundExpression] {
    switch self {
    case .source, .scan, .rowSet, .empty: []
    case .lookup(_, let keys), .lookupEach(_, let keys), .elementCandidates(_, _, let keys), .hashJoin(_, let keys):
      keys
    case .range(_, let range), .timeRange(_, _, let range): range.expressions
    case .textSearch(_, _, let query): [query]
    case .trigramCandidates(_, _, _, let pattern): [pattern]
    case .intersection, .union: parts.flatMap(\.keyExpressions)
    }
  }

  /// Returns whether it finds one row at most: under a whole key of a unique index.
  package func findsOne(_ catalog: Catalog) -> Bool {
    switch self {
    case .lookup(let id, _): catalog[id].isUnique
    case .range(let id, let range): catalog[id].isUnique && range.equal.count == catalog[id].columns.count
    default: false
    }
  }

  /// Returns the columns in which all its rows agree, if it finds them in canonical order; nil for other paths.
  package func fixedColumns(_ catalog: Catalog) -> [ColumnID]? {
    switch self {
    case .lookup(let id, _): catalog[id].columns
    case .scan, .lookupEach, .timeRange, .textSearch, .trigramCandidates, .elementCandidates, .rowSet: []
    case .source, .range, .intersection, .union, .empty, .hashJoin: nil
    }
  }

  /// Returns the words by which `@using` asks for it; none of a path that combines others.
  package func hints(_ catalog: Catalog) -> [AccessHint.Access] {
    switch self {
    case .scan, .timeRange: return [.scan]
    case .textSearch(let id, _, _), .trigramCandidates(let id, _, _, _), .elementCandidates(let id, _, _):
      return [.index(catalog[id].kind)]
    case .lookup(let id, _), .lookupEach(let id, _), .range(let id, _):
      let own: [AccessHint.Access] = catalog[id].isPrimary ? [.id] : []
      // A hash has no ranges: those of ids are read in another way.
      if case .range = self, !catalog[id].kind.facts.isOrdered { return own }
      return own + [.index(catalog[id].kind)]
    case .source, .intersection, .union, .rowSet, .empty, .hashJoin: return []
    }
  }
}
