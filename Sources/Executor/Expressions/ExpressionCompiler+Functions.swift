import GQLBase
import GQLCatalog
import GQLQuery

extension ExpressionCompiler {
  mutating func call(
    _ function: ScalarFunction, _ arguments: [BoundExpression], _ expression: BoundExpression,
    _ builder: inout BlockBuilder
  ) -> Int32 {
    let type = expression.type
    guard let first = arguments.first else { return constant(.null, type, expression.range, &builder) }
    switch function {
    case .lower: return text(.lower, first, expression, &builder)
    case .upper: return text(.upper, first, expression, &builder)
    case .trim: return text(.trim, first, expression, &builder)
    case .length:
      var node = Node(operation: .length, kind: Vector.Kind(type), range: expression.range)
      node.a = compile(first, &builder)
      return builder.add(node, type)
    case .try: return attempt(first, expression, &builder)
    case .finer: return finer(first, expression, &builder)
    case .slice, .concat, .replace, .split, .padStart, .sort, .abs, .round, .floor, .ceil, .sqrt, .pow, .div, .least,
      .greatest, .date, .year, .month, .day, .hour, .minute, .second, .weekday, .trunc, .dateDiff, .extract,
      .graphQLInt, .textIDs, .required:
      break
    }
    var node = Node(operation: .function, kind: Vector.Kind(type), range: expression.range)
    node.function = function
    var operands = arguments
    if function == .trunc || function == .dateDiff {
      // The unit's place among all units.
      guard case .string(let name)? = operands.popLast()?.constant,
        let unit = TimeUnit.allCases.firstIndex(where: { $0.rawValue == name.string })
      else { return constant(.null, type, expression.range, &builder) }
      node.index = Int32(truncatingIfNeeded: unit)
    }
    if node.kind == .wide { builder.usesScratch = true }
    eager(operands, to: &node, &builder)
    return builder.add(node, type)
  }

  /// What a column holds beside its cells; anything else holds nothing beside.
  private mutating func finer(
    _ column: BoundExpression, _ expression: BoundExpression, _ builder: inout BlockBuilder
  ) -> Int32 {
    guard case .column(let reference, let number) = column.kind else {
      return constant(.int(0), expression.type, expression.range, &builder)
    }
    if case .scope(0, _) = reference { builder.needsRows = true }
    var node = Node(operation: .finer, kind: .word, range: expression.range)
    node.a = rows(reference, expression.range, &builder)
    node.index = number.index
    node.entity = entityType(reference).index
    return builder.add(node, expression.type)
  }

  mutating func invoke(
    _ function: RegisteredFunction, _ arguments: [BoundExpression], _ expression: BoundExpression,
    _ builder: inout BlockBuilder
  ) -> Int32 {
    var node = Node(operation: .invoke, kind: Vector.Kind(expression.type), range: expression.range)
    node.index = Int32(truncatingIfNeeded: builder.functions.count)
    builder.functions.append(function)
    if node.kind == .wide { builder.usesScratch = true }
    eager(arguments, to: &node, &builder)
    return builder.add(node, expression.type)
  }

  private mutating func eager(_ arguments: [BoundExpression], to node: inout Node, _ builder: inout BlockBuilder) {
    var list: [Operand] = []
    for argument in arguments { list.append(operand(argument, lazy: false, &builder)) }
    builder.add(list, to: &node)
  }

  private mutating func attempt(
    _ operand: BoundExpression, _ expression: BoundExpression, _ builder: inout BlockBuilder
  ) -> Int32 {
    guard ExpressionTraits.isFallible(operand, catalog) else { return compile(operand, &builder) }
    if case .groupAggregate = operand.kind {
      let node = compile(operand, &builder)
      builder.nodes[Int(node)].flag = true
      return node
    }
    var node = Node(operation: .attempt, kind: Vector.Kind(expression.type), range: expression.range)
    let index = block([operand])
    inherit(index, &builder)
    builder.usesScratch = true
    builder.add([Operand(node: -1, block: index)], to: &node)
    return builder.add(node, expression.type)
  }
}
