import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// Comparisons, membership, and what goes through the members of a set.
extension ExpressionCompiler {
  mutating func text(
    _ operation: Operation, _ operand: BoundExpression, _ expression: BoundExpression, _ builder: inout BlockBuilder
  ) -> Int32 {
    var node = Node(operation: operation, kind: .wide, range: expression.range)
    builder.usesScratch = true
    node.a = compile(operand, &builder)
    return builder.add(node, expression.type)
  }

  mutating func compare(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression, _ range: SourceRange,
    _ builder: inout BlockBuilder
  ) -> Int32 {
    if comparison == .equal || comparison == .notEqual {
      // Null is a value here, and one side's type may be that of a bare null.
      for (null, other) in [(left, right), (right, left)] where ExpressionTraits.isNull(null) {
        var node = Node(operation: .isNull, kind: .truth, range: range)
        node.a = compile(other, &builder)
        let index = builder.add(node, .boolean)
        if comparison == .equal { return index }
        var negation = Node(operation: .not, kind: .truth, range: range)
        negation.a = index
        return builder.add(negation, .boolean)
      }
    }
    var node = Node(operation: .compare, kind: .truth, range: range)
    node.comparison = comparison
    node.a = compile(left, &builder)
    node.b = compile(right, &builder)
    if builder.nodes[Int(node.a)].operation == .constant, builder.nodes[Int(node.b)].operation != .constant {
      // Kernels take the constant on the right.
      swap(&node.a, &node.b)
      node.comparison = comparison.swapped
    }
    return builder.add(node, .boolean)
  }

  /// So many texts are compared rather than looked up.
  private static var fewTexts: Int { 6 }

  mutating func inValues(
    _ operand: BoundExpression, _ elements: [BoundExpression], _ expression: BoundExpression,
    _ builder: inout BlockBuilder
  ) -> Int32 {
    var cells: [Cell] = []
    var containsNull = false
    var isConstant = true
    for element in elements {
      guard case .constant(let value) = element.kind, element.type == operand.type || value.isNull else {
        isConstant = false
        break
      }
      if let cell = pool.cell(value, operand.type) { cells.append(cell) } else { containsNull = true }
    }
    // Few texts are compared one by one in less time than one is hashed.
    let isShort = !containsNull && cells.count <= Self.fewTexts && operand.type == .string
    if isConstant, !isShort {
      var node = Node(operation: .inSet, kind: .truth, range: expression.range)
      node.a = compile(operand, &builder)
      node.index = Int32(truncatingIfNeeded: builder.sets.count)
      builder.sets.append(ConstantSet(cells, type: operand.type, containsNull: containsNull))
      return builder.add(node, .boolean)
    }
    var list: [Operand] = []
    for element in elements {
      list.append(Operand(node: compare(.equal, operand, element, expression.range, &builder), block: -1))
    }
    var node = Node(operation: .inAny, kind: .truth, range: expression.range)
    builder.add(list, to: &node)
    return builder.add(node, .boolean)
  }

  /// Int by Int divides as Float; otherwise both sides take the result's type.
  func converted(
    _ operand: BoundExpression, to type: ValueType, _ arithmetic: ArithmeticOperator
  ) -> BoundExpression {
    operand.type == type || !operand.type.isNumeric
      ? operand : BoundExpression(.convert(operand), type, at: operand.range)
  }

  /// The set, and the block of what is evaluated for its members.
  mutating func inner(
    _ set: SetID, _ expression: BoundExpression?, _ node: inout Node, _ builder: inout BlockBuilder
  ) {
    builder.needsRows = true
    node.index = Int32(truncatingIfNeeded: set.index)
    node.entity = Int32(truncatingIfNeeded: builder.expansionCount)
    builder.expansionCount += 1
    node.flag = expression.map { ExpressionTraits.readsMemberOnly($0, query) } ?? true
    if let expression {
      node.b = block([expression])
      if blocks[Int(node.b)].usesScratch { builder.usesScratch = true }
    }
  }

  /// The place of a new list of searches.
  mutating func searches(_ matches: [BoundExpression], _ builder: inout BlockBuilder) -> Int32 {
    var list: [CompiledSearch] = []
    for expression in matches {
      // Anything else was folded: it holds for no text.
      guard case .matches(let texts, let query, let source) = expression.kind else { continue }
      var nodes: [Int32] = []
      for text in texts { nodes.append(compile(text, &builder)) }
      list.append(CompiledSearch(texts: nodes, query: compile(query, &builder), source: source))
    }
    builder.searches.append(list)
    return Int32(truncatingIfNeeded: builder.searches.count - 1)
  }
}
