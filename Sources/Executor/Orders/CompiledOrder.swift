import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import Synchronization

/// Order terms made ready to run. Immutable.
final class CompiledOrder: @unchecked Sendable {
  struct Term {
    var type: ValueType
    var isDescending: Bool
    var nullsFirst: Bool
    /// Texts of the vector's cells live as long as the snapshot.
    var isStable: Bool
  }
  let terms: [Term]
  /// The values of the terms. That of the only term which is a plain column is made when it is first asked for: most
  /// lists are sorted by the column itself.
  var program: ExpressionProgram {
    known
      ?? late.withLock { program in
        if let program { return program }
        let new = ExpressionProgram(expressions, catalog: catalog)
        program = new
        return new
      }
  }
  private let known: ExpressionProgram?
  private let late = Mutex<ExpressionProgram?>(nil)
  private let expressions: [BoundExpression]
  private let catalog: Catalog
  /// The reader slot of the only term, if it is a plain fixed-width column; else -1.
  let direct: Int
  /// The reader slot of the first of several terms, if it is a plain fixed-width column and the others cannot fail; else
  /// -1. Rows may be left out by it then, whatever the others say.
  let leading: Int
  /// Indicates whether the first term is the id: then rows stand in their own order as long as ids ascend with insertion.
  let isByID: Bool
  let directColumn: ColumnID
  let directKind: ColumnKind
  let directIsNonNull: Bool

  init(_ terms: [BoundOrderTerm], type: EntityTypeID, _ compiler: inout PlanCompiler) {
    self.terms = terms.map { term in
      var isStable = false
      if case .column = term.expression.kind { isStable = true }
      return Term(
        type: term.expression.type, isDescending: term.isDescending, nullsFirst: term.nullsFirst, isStable: isStable)
    }
    expressions = terms.map(\.expression)
    catalog = compiler.catalog
    if let primary = compiler.catalog[type].indexes.first.map({ compiler.catalog[$0] }), primary.isPrimary,
      compiler.catalog[type].kind == .entity, case .column(.scope(0, _), let column)? = terms.first?.expression.kind
    {
      isByID = primary.columns == [column]
    } else {
      isByID = false
    }
    if let term = terms.first, case .column(.scope(0, _), let column) = term.expression.kind {
      let descriptor = compiler.catalog[type][column]
      directColumn = column
      directKind = descriptor.kind
      directIsNonNull = descriptor.isNonNull
      switch descriptor.kind {
      case .int64, .float64, .byte, .code:
        let canFail = terms.dropFirst().contains { compiler.plan.query.canFail($0.expression) }
        leading = canFail ? -1 : compiler.reader(type, column)
      default: leading = -1
      }
      direct = terms.count == 1 ? leading : -1
      known = direct >= 0 ? nil : compiler.program(expressions)
    } else {
      known = compiler.program(expressions)
      direct = -1
      leading = -1
      directColumn = ColumnID(0)
      directKind = .int64
      directIsNonNull = false
    }
  }
}

// MARK: - Values

extension CompiledOrder {
  /// Returns whether no row of a set has a null in the first column. Nulls are counted in live rows only.
  func isWithoutNulls(_ set: CompiledSet, _ execution: Execution) -> Bool {
    if directIsNonNull { return true }
    guard execution.look({ $0.nullCount(set.type, directColumn) }) == 0 else { return false }
    return execution.look { $0.deletedCount(set.type) } == 0 || set.access.findsLiveRowsOnly
  }

  /// Returns the terms' values for `count` rows, and after them those of cursors. Row `i` is number `base + i` of the
  /// rows of all elements, of which those of element `e` end at `ends[e]`.
  func keys(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ rows: UnsafePointer<UInt32>, _ count: Int,
    ends: UnsafePointer<UInt32>, base: Int = 0, and cursors: [Cursor] = [], _ execution: Execution
  ) throws(RuntimeProblem) -> SortKeys {
    try execution.checkMemory(count * 25 * terms.count)
    var keys = SortKeys(self, count: count + cursors.count, state, execution)
    var gather = OuterScopes(set.outerScopes, scopes, state)
    var start = 0
    while start < count {
      try execution.checkpoint()
      let size = min(ScopeRows.batchRows, count - start)
      let batch = gather.batch(rows + start, size, start: base + start, ends: ends)
      keys.take(try program.evaluate(batch, execution), self, start: start, count: size, execution.scratch)
      start += size
    }
    for (number, cursor) in cursors.enumerated() {
      let vectors = terms.indices.map { index in
        Vector(of: cursor.keys.indices.contains(index) ? cursor.keys[index] : nil, terms[index].type, execution.scratch)
      }
      vectors.withUnsafeBufferPointer { vectors in
        if let base = vectors.baseAddress { keys.take(base, self, start: count + number, count: 1, execution.scratch) }
      }
    }
    return keys
  }

  /// Returns the terms' values for rows of one element, and after them those of cursors.
  func keys(
    of rows: UnsafePointer<UInt32>, _ count: Int, and cursors: [Cursor] = [], _ set: CompiledSet, _ state: SetState,
    _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> SortKeys {
    try keys(set, state, outer, rows, count, ends: rows, and: cursors, execution)
  }
}

extension Vector {
  /// A vector of one value, as a program makes it for the type.
  fileprivate init(of cell: Cell?, _ type: ValueType, _ scratch: ScratchArena) {
    let values = scratch.allocate(16)
    let validity = scratch.allocate(UInt8.self, count: 1)
    validity.pointee = cell == nil ? 0 : 1
    let kind = Vector.Kind(type)
    switch kind {
    case .truth: values.storeBytes(of: cell.map { $0.low == 0 ? 0 : 2 } ?? 1, as: UInt8.self)
    case .rows:
      values.storeBytes(of: cell.map { UInt32(truncatingIfNeeded: $0.low) } ?? PageLayout.noRow, as: UInt32.self)
    case .word, .double: values.storeBytes(of: cell?.low ?? 0, as: UInt64.self)
    case .wide: values.storeBytes(of: cell ?? Cell(low: 0), as: Cell.self)
    }
    self.init(kind: kind, values: values, validity: validity)
  }
}
