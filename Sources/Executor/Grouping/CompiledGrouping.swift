import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// A ``BoundGrouping`` made ready to run. Immutable.
final class CompiledGrouping: @unchecked Sendable {
  struct Aggregate {
    var aggregate: GQLQuery.Aggregate
    var isDistinct: Bool
    /// The set that each member has, or -1.
    var set: Int
    /// The argument and the comparand alone: for the elements of the set, or for members where the members' program
    /// fails, if it can fail here.
    var own: ExpressionProgram?
    /// Vectors of the members' program, or of the own one where there is a set; -1 if there is none.
    var argument: Int
    var comparand: Int
    var element: ValueType
    var comparandType: ValueType
    var isStable: Bool
    var comparandIsStable: Bool
    var result: ValueType
    var range: SourceRange
  }

  let catalog: Catalog
  let type: EntityTypeID
  /// Where its groups lie in an execution.
  private let slot: Int
  let keys: [KeyTable.Part]
  let aggregates: ContiguousArray<Aggregate>
  /// Keys and arguments, for members; nil if there is neither.
  let program: ExpressionProgram?
  /// The keys alone, where an argument can fail.
  let keyProgram: ExpressionProgram?
  let argumentsCanFail: Bool
  /// Nothing that the program computes outlives a batch.
  let releasesScratch: Bool
  /// How many scopes around a member are read.
  let outerScopes: Int
  let having: ExpressionProgram?
  let order: CompiledOrder?
  let slice: Slice?
  /// The groups' scopes, their own included, that are read here or by fields.
  let depth: Int
  /// How many scopes of what encloses the set are read by groups and all below them.
  let usedAround: Int
  /// Someone asks for `_items`.
  let listsMembers: Bool

  init(
    _ grouping: BoundGrouping, _ id: Int, type: EntityTypeID, fieldScopes: Int, _ compiler: inout PlanCompiler
  ) {
    catalog = compiler.catalog
    self.type = type
    slot = compiler.groupSlot(id)
    var expressions: [BoundExpression] = []
    var keys: [KeyTable.Part] = []
    for expression in grouping.keys.flatMap(\.expressions) {
      expressions.append(expression)
      keys.append(KeyTable.Part(expression.type, isStable: CompiledGrouping.isStable(expression)))
    }
    let keyExpressions = expressions
    var canFail = false
    var outer = 0
    var aggregates = ContiguousArray<Aggregate>()
    for bound in grouping.aggregates {
      var compiled = Aggregate(
        aggregate: bound.aggregate, isDistinct: bound.isDistinct, set: bound.set?.index ?? -1, own: nil, argument: -1,
        comparand: -1, element: bound.argument?.type ?? .int, comparandType: bound.comparand?.type ?? .null,
        isStable: bound.argument.map(CompiledGrouping.isStable) ?? true,
        comparandIsStable: bound.comparand.map(CompiledGrouping.isStable) ?? true, result: bound.type,
        range: bound.range)
      if let set = bound.set {
        let own = bound.expressions
        if !own.isEmpty { compiled.own = compiler.program(own) }
        if bound.argument != nil { compiled.argument = 0 }
        if bound.comparand != nil { compiled.comparand = 1 }
        outer = max(outer, compiler.scopesUsed(byAround: set.index) - 1)
        for expression in own { outer = max(outer, compiler.scopes(expression) - 2) }
      } else {
        if let argument = bound.argument {
          compiled.argument = expressions.count
          expressions.append(argument)
        }
        if let comparand = bound.comparand {
          compiled.comparand = expressions.count
          expressions.append(comparand)
        }
        let own = bound.expressions
        if own.contains(where: { ExpressionTraits.isFallible($0, compiler.catalog) }) { canFail = true }
      }
      aggregates.append(compiled)
    }
    for expression in expressions { outer = max(outer, compiler.scopes(expression) - 1) }
    if canFail {
      // One argument that fails takes those beside it along: then each is evaluated by itself.
      for (index, bound) in grouping.aggregates.enumerated() where bound.set == nil && bound.argument != nil {
        aggregates[index].own = compiler.program(bound.expressions)
      }
    }
    keyProgram = canFail && !keyExpressions.isEmpty ? compiler.program(keyExpressions) : nil
    argumentsCanFail = canFail
    self.keys = keys
    self.aggregates = aggregates
    program = expressions.isEmpty ? nil : compiler.program(expressions)
    func isList(_ expression: BoundExpression) -> Bool { if case .list = expression.type { true } else { false } }
    let sets = compiler.plan.query.sets
    releasesScratch =
      !expressions.contains(where: isList)
      && !grouping.aggregates.contains { bound in
        guard let set = bound.set else { return false }
        // What aggregates over sets of their own keep may be lists or texts, and conditions of these sets may find by
        // texts what they keep for later members.
        return sets[set.index].predicate != nil
          || bound.expressions.contains { isList($0) || !CompiledGrouping.isStable($0) && ColumnKind($0.type) == .text }
      }
    outerScopes = outer
    having = grouping.having.map { compiler.program([$0]) }
    order = grouping.order.isEmpty ? nil : CompiledOrder(grouping.order, type: type, &compiler)
    slice = Slice(limit: grouping.limit, offset: grouping.offset, at: SourceRange(at: 0), compiler)
    var depth = max(fieldScopes, 2)
    for expression in [grouping.having].compactMap({ $0 }) + grouping.order.map(\.expression) {
      depth = max(depth, compiler.scopes(expression))
    }
    self.depth = depth
    var around = max(depth - 2, outer)
    for bound in [grouping.limit, grouping.offset].compactMap({ $0 }) { around = max(around, compiler.scopes(bound)) }
    usedAround = around
    listsMembers = compiler.plan.query.sets.contains { set in
      if case .items(_, let selection) = set.source { return selection.index == id }
      return false
    }
  }

  /// Returns the groups of an execution.
  func state(_ execution: Execution) -> GroupState { execution.state(slot) { GroupState(self) } }

  private static func isStable(_ expression: BoundExpression) -> Bool {
    switch expression.kind {
    case .column, .constant, .parameter: true
    default: false
    }
  }
}
