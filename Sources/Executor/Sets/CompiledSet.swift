import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// A ``BoundSet`` with its plan, made ready to run. Immutable.
final class CompiledSet: @unchecked Sendable {
  /// How the lists of a set are computed for the elements of a batch.
  enum Lists {
    /// For all elements of the run together: it depends on nothing around it.
    case once
    /// By the operator, for all elements of a batch together where it can.
    case together
    /// For one element after the other: pages of cursors.
    case each
  }
  let id: Int
  let type: EntityTypeID
  /// The operator that finds its rows.
  let access: AccessOperator
  let isScan: Bool
  /// How its lists are computed for the elements of a batch.
  let lists: Lists
  let filter: ExpressionProgram?
  /// True if the filter has an error for some values; then it sees every row, so that the error does not depend on the
  /// plan.
  let filterCanFail: Bool
  /// How many scopes beyond the element itself the filter, the order terms and `distinctOn` see.
  let outerScopes: Int
  let method: OrderMethod
  /// Whether the method is right only while ids ascend with insertion.
  let needsAscendingIDs: Bool
  let order: CompiledOrder?
  let distinct: CompiledOrder?
  /// Limit and offset.
  let bounds: ScalarSources?
  let limit: Int
  let offset: Int
  let range: SourceRange
  /// Cursors, as the numbers of their sources in `bounds`; -1 where there is none.
  let after: Int
  let before: Int
  let pagingFingerprint: UInt64
  /// It stands for the member behind its slice.
  let isProbe: Bool
  /// How deep the members are is asked for.
  let wantsDepths: Bool
  /// Where limit and offset are written.
  let limitRange: SourceRange
  let offsetRange: SourceRange
  /// Whether it depends on what encloses it.
  let isCorrelated: Bool
  /// Each element has one key, and the rows under it are found at once.
  let isKeyed: Bool
  /// Elements with equal keys have equal lists.
  let dependsOnKeyOnly: Bool
  /// What is wrong where an element has more than one member: of a set that a key finds the one member of.
  let secondMember: RuntimeProblem?
  /// How many scopes of what encloses it are used.
  let usedScopes: Int
  /// Those keys of the access path that may fail.
  let failingKeys: ScalarSources?
  /// The same set by a scan: what it is for an element for which a key fails. A key is computed for each element, and a
  /// condition only for the members that there are and that the conditions before it leave; the scan tells whether that
  /// is any, and fails for the first of them.
  let whenKeysFail: CompiledSet?
  /// Holds the same set by another plan, which takes over from a scan or a walk that has looked at too many rows.
  let retreat: CompiledSet?
  /// How many rows are looked at before; `Int.max` without a retreat.
  let rowsBeforeRetreat: Int

  convenience init(_ id: Int, _ compiler: inout PlanCompiler) {
    self.init(id, compiler.plan.sets[id], &compiler)
  }

  private init(_ id: Int, _ plan: SetPlan, _ compiler: inout PlanCompiler) {
    let bound = compiler.plan.query.sets[id]
    self.id = id
    type = bound.type
    access = compiler.access(plan.access, of: bound, number: id)
    isScan = access is FullScan
    filter = plan.filter.map { compiler.program([$0]) }
    filterCanFail = plan.filter.map(compiler.plan.query.canFail) ?? false
    method = bound.order.isEmpty ? .natural : plan.order
    needsAscendingIDs = plan.needsAscendingIDs
    order = bound.order.isEmpty ? nil : CompiledOrder(bound.order, type: bound.type, &compiler)
    distinct =
      bound.distinctOn.isEmpty
      ? nil
      : CompiledOrder(
        bound.distinctOn.map { BoundOrderTerm($0, isDescending: false) }, type: bound.type, &compiler)
    var expressions: [BoundExpression] = []
    if let limit = bound.limit { expressions.append(limit) }
    self.limit = bound.limit == nil ? -1 : 0
    offset = bound.offset == nil ? -1 : expressions.count
    if let offset = bound.offset { expressions.append(offset) }
    after = bound.paging?.after == nil ? -1 : expressions.count
    if let after = bound.paging?.after { expressions.append(after) }
    before = bound.paging?.before == nil ? -1 : expressions.count
    if let before = bound.paging?.before { expressions.append(before) }
    pagingFingerprint = bound.paging?.fingerprint ?? 0
    isProbe = bound.isProbe
    let wantsDepths = (access as? Closure)?.traversal.wantsDepth ?? false
    self.wantsDepths = wantsDepths
    bounds = expressions.isEmpty ? nil : ScalarSources(expressions, compiler)
    range = bound.range
    limitRange = bound.limit?.range ?? bound.range
    offsetRange = bound.offset?.range ?? bound.range
    usedScopes = compiler.scopesUsed(byAround: id)
    let failing = plan.access.keyExpressions.filter(compiler.plan.query.canFail)
    // The key of one entity is no condition.
    if failing.isEmpty || bound.source != .all {
      failingKeys = nil
      whenKeysFail = nil
    } else {
      failingKeys = ScalarSources(failing, compiler)
      let scan = SetPlan(access: .scan, filter: bound.predicate, order: bound.sortingMethod)
      whenKeysFail = CompiledSet(id, scan, &compiler)
    }
    retreat = plan.retreat.map { CompiledSet(id, $0.plan, &compiler) }
    rowsBeforeRetreat = plan.retreat?.rows ?? Int.max
    isCorrelated = usedScopes > 0
    secondMember = bound.isOneByKey ? RuntimeProblem(.ambiguousLink(bound.type), at: bound.range) : nil
    var outer = 0
    for expression in [plan.filter].compactMap({ $0 }) + bound.order.map(\.expression) + bound.distinctOn {
      outer = max(outer, compiler.scopes(expression) - 1)
    }
    outerScopes = max(outer, 0)
    isKeyed = isCorrelated && access.isKeyed && after < 0 && before < 0
    dependsOnKeyOnly = isKeyed && outerScopes == 0 && bounds?.program == nil
    if wantsDepths {
      lists = .together
    } else if !isCorrelated {
      lists = .once
    } else {
      lists = after < 0 && before < 0 ? .together : .each
    }
  }

  var isPlain: Bool { filter == nil && distinct == nil && !isPaged }
  /// Only members behind or before a cursor belong.
  var isPaged: Bool { after >= 0 || before >= 0 }
  var isSliced: Bool { limit >= 0 || offset >= 0 }
}

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
  let program: ExpressionProgram
  /// The reader slot of the only term, if it is a plain fixed-width column; else -1.
  let direct: Int
  /// The reader slot of the first of several terms, if it is a plain fixed-width column and the others cannot fail; else
  /// -1. Rows may be left out by it then, whatever the others say.
  let leading: Int
  /// Whether the first term is the id: then rows stand in their own order as long as ids ascend with insertion.
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
    program = compiler.program(terms.map(\.expression))
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
    } else {
      direct = -1
      leading = -1
      directColumn = ColumnID(0)
      directKind = .int64
      directIsNonNull = false
    }
  }
}
