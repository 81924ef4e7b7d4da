import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Expressions compiled to kernels over batches: immutable, shared by threads and runs. What a run writes lies in its
/// ``ExpressionState``.
package final class ExpressionProgram: Sendable {
  let blocks: [Block]
  /// The block of all expressions, in their order.
  let main: Int
  /// The conjuncts of the first expression, if it is a Boolean: rows that one of them drops are not shown to the next.
  let conjuncts: [Int]
  /// Indicates whether sets keep for the whole run what the expressions compute, as the keys of a join.
  let keepsScratch: Bool
  /// Texts that `filter` computes may go when it is done: nothing else is made meanwhile that must stay.
  let releasesScratch: Bool
  /// Row numbers of scope 0 are needed as an array.
  let needsRows: Bool
  /// The type of scope 0, where the expressions look at it.
  var elementType: EntityTypeID? { blocks[main].entityType }
  let catalog: Catalog
  private let pool: CellPool
  private let direct: Node?
  /// Comparisons that the bounds of a page may decide for all of its rows. A row is kept only if each is true, and
  /// nothing that is tested before one of them can fail.
  private let bounds: [PageBound]
  /// So many rows are evaluated at once; fewer than a batch where the program is long, since each node has registers for
  /// all of them.
  let batchRows: Int
  private static let nodesOfWholeBatches = 2048

  /// Equal columns and parameters are read once for all of `expressions`. A program that was made when `interruption`
  /// was due is not to be run.
  ///
  /// - Parameter query: That of the sets in the expressions.
  package init(
    _ expressions: [BoundExpression], of query: BoundQuery? = nil, catalog: Catalog, interruption: Interruption? = nil
  ) {
    var compiler = ExpressionCompiler(query, catalog: catalog, interruption: interruption)
    main = Int(compiler.block(expressions))
    // A bare null as the only expression may be a predicate, and gets a block with a lane of truths below.
    var conjuncts: [Int] = []
    if expressions.count == 1, let first = expressions.first.map(ExpressionCompiler.truth) {
      let groups = ExpressionProgram.groups(first, catalog)
      if groups.count == 1, expressions[0].type != .null {
        conjuncts = [main]
      } else {
        for group in groups { conjuncts.append(Int(compiler.block([group]))) }
      }
    }
    self.conjuncts = conjuncts
    let isDirect = conjuncts.count == 1 && ExpressionProgram.direct(compiler.blocks[conjuncts[0]]) != nil
    bounds = conjuncts.isEmpty || isDirect ? [] : PageBound.of(expressions[0], catalog, &compiler)
    blocks = compiler.blocks
    let nodes = compiler.blocks.reduce(0) { $0 + $1.nodes.count }
    batchRows =
      nodes <= Self.nodesOfWholeBatches
      ? ScopeRows.batchRows : max(64, ScopeRows.batchRows * Self.nodesOfWholeBatches / nodes & ~63)
    direct = isDirect ? ExpressionProgram.direct(compiler.blocks[conjuncts[0]]) : nil
    pool = compiler.pool
    needsRows = compiler.blocks.contains { $0.needsRows }
    self.catalog = catalog
    keepsScratch = compiler.blocks.contains { block in
      block.expansionCount > 0 || block.nodes.contains { $0.operation == .rowSet }
    }
    releasesScratch = compiler.blocks.contains { $0.usesScratch } && !keepsScratch
  }

  /// Conjuncts that are tested together: neighbors that are cheap on whole pages.
  private static func groups(_ expression: BoundExpression, _ catalog: Catalog) -> [BoundExpression] {
    guard case .and(let conjuncts) = expression.kind else { return [expression] }
    var groups: [[BoundExpression]] = []
    var isOpen = false
    for conjunct in conjuncts {
      let isScan = ExpressionTraits.isScan(conjunct, catalog)
      if isScan, isOpen { groups[groups.count - 1].append(conjunct) } else { groups.append([conjunct]) }
      isOpen = isScan
    }
    return groups.map { group in
      group.count == 1 ? group[0] : BoundExpression(.and(group), .boolean, at: expression.range)
    }
  }

  /// The predicate's node if it compares a column of eight-byte words with a constant or a parameter, and is all.
  private static func direct(_ block: Block) -> Node? {
    let node = block.nodes[Int(block.roots[0])]
    return block.nodes.count == 4 && PageBound.isDecided(node, block) ? node : nil
  }

  /// The column that the only comparison reads, and what it compares with.
  private func operands(
    _ node: Node, of number: Int? = nil, _ state: ExpressionState, _ execution: Execution
  ) -> (ColumnReader, Vector) {
    let block = state.blocks[number ?? conjuncts[0]]
    block.prepare(1, execution)
    let column = block.nodes[Int(node.a)]
    let reader = execution.snapshot.column(EntityTypeID(Int(column.entity)), ColumnID(Int(column.index)))
    return (reader, block.vectors[Int(node.b)])
  }

  /// Counts without truths between; nil if there are nulls.
  @inline(__always)
  private func countDirectly(
    _ node: Node, _ page: UnsafeRawPointer, _ constant: Vector, _ firstRow: UInt32, _ count: Int
  ) -> Int? {
    guard constant.allValid, page.load(fromByteOffset: PageLayout.nullCountOffset, as: Int32.self) == 0 else {
      return nil
    }
    let value = constant.words[0]
    if count == PageLayout.rows, let summary = PageSummary.scanning(page) {
      if let isTrue = CompareKernel.decide(node.comparison, summary, value) { return isTrue ? count : 0 }
      if let narrow = summary.narrow {
        return CompareKernel.countNarrow(
          node.comparison, narrow, UInt16(truncatingIfNeeded: value &- summary.lowest))
      }
    }
    let slot = Int(firstRow) & PageLayout.rowMask
    let words = (page + PageLayout.cellsOffset).assumingMemoryBound(to: Int64.self) + slot
    return CompareKernel.countWords(node.comparison, words, constant: value, count)
  }

  /// Evaluates for all rows of the batch and gives one vector for each expression of the initializer, in its order.
  /// They stay valid until the next call on this program in this execution.
  package func evaluate(_ scopes: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> UnsafePointer<Vector> {
    let state = execution.state(for: self)
    state.begin(execution)
    return try state.roots(Batch(scopes), execution)
  }

  /// Evaluates all expressions over the rows of one scope, for which no list of scopes is made.
  package func evaluate(
    _ rows: UnsafePointer<UInt32>, _ count: Int, _ execution: Execution
  ) throws(RuntimeProblem) -> UnsafePointer<Vector> {
    let state = execution.state(for: self)
    state.begin(execution)
    return try state.roots(state.batch(rows, count), execution)
  }

  /// The positions, ascending, at which the first expression (a Boolean) is true; `positions` has room for the
  /// batch's count.
  package func filter(
    _ scopes: ScopeRows, _ execution: Execution, into positions: UnsafeMutablePointer<UInt16>
  ) throws(RuntimeProblem) -> Int {
    let state = execution.state(for: self)
    state.begin(execution)
    return try state.filter(Batch(scopes), execution, positions)
  }

  /// The same over the rows `firstRow ..< firstRow + count` of scope 0, which must lie in one page: nothing is
  /// gathered. Gives row ids. Dead rows are tested like others, and can make a failing expression fail.
  ///
  /// `outer` is the batch of one element that encloses the scan: its scope 0 is scope 1 here.
  package func filterPage(
    firstRow: UInt32, count: Int, outer: ScopeRows?, _ execution: Execution, into rows: UnsafeMutablePointer<UInt32>
  ) throws(RuntimeProblem) -> Int {
    let state = execution.state(for: self)
    state.begin(execution)
    if let isTrue = decide(state, firstRow, count, execution) {
      guard isTrue else { return 0 }
      for index in 0..<count { rows[index] = firstRow &+ UInt32(truncatingIfNeeded: index) }
      return count
    }
    if isExcluded(state, firstRow, count, execution) { return 0 }
    let batch = state.pageBatch(firstRow, count, outer)
    if conjuncts.count == 1, count <= batchRows {
      let vector = try state.evaluate(conjuncts[0], batch, execution).root(0)
      return TruthKernel.rows(vector.truths, count, firstRow, into: rows)
    }
    let positions = state.pagePositions
    let found = try state.filter(batch, execution, positions)
    for index in 0..<found { rows[index] = firstRow &+ UInt32(positions[index]) }
    return found
  }

  /// How many rows ``filterPage(firstRow:count:outer:_:into:)`` would give.
  package func countPage(
    firstRow: UInt32, count: Int, outer: ScopeRows?, _ execution: Execution
  ) throws(RuntimeProblem) -> Int {
    let state = execution.state(for: self)
    state.begin(execution)
    if let direct {
      let (reader, constant) = operands(direct, state, execution)
      if let found = countDirectly(direct, reader.page(of: firstRow), constant, firstRow, count) { return found }
    }
    if isExcluded(state, firstRow, count, execution) { return 0 }
    let batch = state.pageBatch(firstRow, count, outer)
    if conjuncts.count == 1, count <= batchRows {
      let vector = try state.evaluate(conjuncts[0], batch, execution).root(0)
      return TruthKernel.count(vector.truths, count)
    }
    return try state.filter(batch, execution, state.pagePositions)
  }

  /// How many of the first `slots` rows, all live, the first expression is true for. It sees nothing around it.
  package func countTable(_ slots: Int, _ execution: Execution) throws(RuntimeProblem) -> Int {
    let state = execution.state(for: self)
    state.begin(execution)
    var operands = self.direct.map { self.operands($0, state, execution) }
    var total = 0
    var first = 0
    while first < slots {
      if first & (PageLayout.rows &* 32 &- 1) == 0 { try execution.checkpoint() }
      let count = min(PageLayout.rows, slots - first)
      try execution.visit(count)
      let row = UInt32(truncatingIfNeeded: first)
      if let direct, let operands,
        let found = countDirectly(direct, operands.0.page(of: row), operands.1, row, count)
      {
        total &+= found
      } else {
        total &+= try countPage(firstRow: row, count: count, outer: nil, execution)
        // Its batch may have moved what the constant lies in.
        operands = self.direct.map { self.operands($0, state, execution) }
      }
      first += count
    }
    return total
  }

  /// What a page's bounds say about all of its rows; nil if they do not.
  private func decide(
    _ state: ExpressionState, _ firstRow: UInt32, _ count: Int, _ execution: Execution
  ) -> Bool? {
    guard let direct, count == PageLayout.rows else { return nil }
    let (reader, constant) = operands(direct, state, execution)
    let page = reader.page(of: firstRow)
    guard constant.allValid, page.load(fromByteOffset: PageLayout.nullCountOffset, as: Int32.self) == 0,
      let summary = PageSummary.scanning(page)
    else { return nil }
    return CompareKernel.decide(direct.comparison, summary, constant.words[0])
  }

  /// Returns whether the bounds of a page say that one of the comparisons is true for none of its rows.
  private func isExcluded(
    _ state: ExpressionState, _ firstRow: UInt32, _ count: Int, _ execution: Execution
  ) -> Bool {
    guard count == PageLayout.rows else { return false }
    for bound in bounds {
      let (reader, constant) = operands(bound.node, of: bound.block, state, execution)
      guard constant.allValid, let summary = PageSummary.scanning(reader.page(of: firstRow)) else { continue }
      if CompareKernel.decide(bound.node.comparison, summary, constant.words[0]) == false { return true }
    }
    return false
  }
}

/// A comparison of a column of eight-byte words with a constant or a parameter, which every row that is kept satisfies.
private struct PageBound {
  let block: Int
  let node: Node
  /// So many are looked at for each page.
  private static let most = 4

  /// Returns whether a node compares a column of eight-byte words of the element with a constant or a parameter.
  static func isDecided(_ node: Node, _ block: Block) -> Bool {
    guard node.operation == .compare else { return false }
    let column = block.nodes[Int(node.a)]
    let constant = block.nodes[Int(node.b)]
    return column.operation == .column && column.flag && column.columnKind == .int64 && constant.kind == .word
      && (constant.operation == .constant || constant.operation == .parameter)
  }

  /// Returns the comparisons that a predicate's conjuncts make, up to the first that may fail, each in a block.
  static func of(_ predicate: BoundExpression, _ catalog: Catalog, _ compiler: inout ExpressionCompiler) -> [PageBound]
  {
    var result: [PageBound] = []
    func add(_ comparison: ComparisonOperator, _ column: BoundExpression, _ bound: BoundExpression) {
      // A missing value is unequal to every other, whatever its cell holds.
      guard comparison != .notEqual, result.count < most, case .column(.scope(0, let type), let id) = column.kind,
        catalog[type][id].kind == .int64
      else { return }
      switch bound.kind {
      case .constant, .parameter: break
      default: return
      }
      let expression = BoundExpression(.compare(comparison, column, bound), .boolean, at: predicate.range)
      let number = Int(compiler.block([expression]))
      let block = compiler.blocks[number]
      let node = block.nodes[Int(block.roots[0])]
      if isDecided(node, block) { result.append(PageBound(block: number, node: node)) }
    }
    for conjunct in predicate.conjuncts {
      if ExpressionTraits.isFallible(conjunct, catalog) { break }
      switch conjunct.kind {
      case .compare(let comparison, let left, let right):
        add(comparison, left, right)
        add(comparison.swapped, right, left)
      case .inRange(let subject, let lower, let upper, let includesUpper):
        if let lower { add(.greaterOrEqual, subject, lower) }
        if let upper { add(includesUpper ? .lessOrEqual : .less, subject, upper) }
      default: break
      }
    }
    return result
  }
}
