import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Compiles expressions into the blocks of one program.
///
/// What may fail or costs much, and stands where the language short-circuits, becomes a block of its own, which the
/// evaluation visits with the rows that need it only. Everything else is computed for all rows, without branches.
struct ExpressionCompiler {
  let catalog: Catalog
  /// Of the sets in the expressions.
  let query: BoundQuery?
  let pool = CellPool()
  var blocks: [Block] = []
  /// Once it is due, what is compiled means nothing: nobody runs it.
  private var watch: InterruptionWatch

  init(_ query: BoundQuery?, catalog: Catalog, interruption: Interruption? = nil) {
    self.catalog = catalog
    self.query = query
    watch = InterruptionWatch(interruption)
  }

  /// A node takes about as long as so many bytes of a text.
  private static var nodeWork: Int { 64 }
  /// The bytes of a node with its vectors.
  private static var nodeBytes: Int { 256 }

  mutating func block(_ expressions: [BoundExpression]) -> Int32 {
    var builder = BlockBuilder()
    var roots: [Int32] = []
    for expression in expressions { roots.append(root(compile(expression, &builder), expression, &builder)) }
    blocks.append(Block(builder, roots: roots))
    return Int32(truncatingIfNeeded: blocks.count - 1)
  }

  /// Entities leave a block as words.
  private func root(_ node: Int32, _ expression: BoundExpression, _ builder: inout BlockBuilder) -> Int32 {
    guard builder.nodes[Int(node)].kind == .rows else { return node }
    var word = Node(operation: .rowWord, kind: .word, range: expression.range)
    word.a = node
    return builder.add(word, expression.type)
  }

  /// A bare null where a truth is wanted has the lane of truths.
  static func truth(_ expression: BoundExpression) -> BoundExpression {
    expression.type == .null ? BoundExpression(.constant(.null), .boolean, at: expression.range) : expression
  }

  mutating func operand(_ expression: BoundExpression, lazy: Bool, _ builder: inout BlockBuilder) -> Operand {
    if lazy, !watch.isDue, ExpressionTraits.isFallible(expression, catalog) || ExpressionTraits.isExpensive(expression)
    {
      let index = block([expression])
      inherit(index, &builder)
      return Operand(node: -1, block: index)
    }
    return Operand(node: compile(expression, &builder), block: -1)
  }

  func inherit(_ index: Int32, _ builder: inout BlockBuilder) {
    let inner = blocks[Int(index)]
    if inner.usesScratch { builder.usesScratch = true }
    if builder.entityType == nil { builder.entityType = inner.entityType }
  }

  mutating func compile(_ expression: BoundExpression, _ builder: inout BlockBuilder) -> Int32 {
    watch.take(Self.nodeBytes)
    if watch.spend(Self.nodeWork) {
      return builder.nodes.isEmpty ? constant(.null, expression.type, expression.range, &builder) : 0
    }
    // Nothing with constants is shared: 1.0 and 1.00 are equal, but not the same.
    switch expression.kind {
    case .column, .parameter:
      if let node = builder.known[expression.kind] { return node }
      let node = make(expression, &builder)
      builder.known[expression.kind] = node
      return node
    default: return make(expression, &builder)
    }
  }

  private mutating func make(_ expression: BoundExpression, _ builder: inout BlockBuilder) -> Int32 {
    let type = expression.type
    func node(_ operation: Operation, _ kind: Vector.Kind? = nil) -> Node {
      Node(operation: operation, kind: kind ?? Vector.Kind(type), range: expression.range)
    }
    switch expression.kind {
    case .constant(let value):
      return constant(value, type, expression.range, &builder)
    case .parameter(let index):
      var node = node(.parameter)
      node.index = Int32(truncatingIfNeeded: index)
      return builder.add(node, type)
    case .column(let reference, let column):
      let entity = entityType(reference)
      var node = node(.column)
      node.columnKind = catalog[entity][column].kind
      switch node.columnKind {
      case .int64, .code, .references: node.kind = .word
      case .float64: node.kind = .double
      case .byte: node.kind = .truth
      case .reference: node.kind = .rows
      case .decimal, .text, .wordList, .wideList: node.kind = .wide
      }
      node.a = rows(reference, expression.range, &builder)
      node.index = column.index
      node.entity = entity.index
      // A page may be read as it lies only if the rows are those of the batch itself.
      if case .scope(0, _) = reference { node.flag = true }
      return builder.add(node, type)
    case .entity(let reference):
      if case .scope(0, _) = reference { builder.needsRows = true }
      return rows(reference, expression.range, &builder)

    case .not(let operand):
      var node = node(.not, .truth)
      node.a = compile(ExpressionCompiler.truth(operand), &builder)
      return builder.add(node, type)
    case .and(let operands), .or(let operands):
      var node = node(.and, .truth)
      if case .or = expression.kind { node.operation = .or }
      var list: [Operand] = []
      for (index, operand) in operands.enumerated() {
        list.append(self.operand(ExpressionCompiler.truth(operand), lazy: index > 0, &builder))
      }
      builder.add(list, to: &node)
      return builder.add(node, type)
    case .isTrue(let operand):
      var node = node(.isTrue, .truth)
      node.a = compile(ExpressionCompiler.truth(operand), &builder)
      return builder.add(node, type)
    case .isNull(let operand):
      var node = node(.isNull, .truth)
      node.a = compile(operand, &builder)
      return builder.add(node, type)

    case .compare(let comparison, let left, let right):
      return compare(comparison, left, right, expression.range, &builder)
    case .inValues(let operand, let elements):
      return inValues(operand, elements, expression, &builder)
    case .inList(let operand, let list), .listContains(let list, let operand):
      var node = node(.inList, .truth)
      if case .listContains = expression.kind { node.flag = true }
      node.a = compile(operand, &builder)
      node.b = compile(list, &builder)
      return builder.add(node, type)
    case .inRange(let operand, let lower, let upper, let includesUpper):
      var node = node(.inRange, .truth)
      if let lower { node.a = compare(.greaterOrEqual, operand, lower, expression.range, &builder) }
      if let upper {
        node.b = compare(includesUpper ? .lessOrEqual : .less, operand, upper, expression.range, &builder)
      }
      if node.a < 0, node.b < 0 {
        // Open on both sides: true unless null.
        node.a = compare(.lessOrEqual, operand, operand, expression.range, &builder)
      }
      if node.a < 0 { node.a = node.b }
      if node.b < 0 { node.b = node.a }
      return builder.add(node, type)

    case .textTest(let test, let left, let right):
      var node = node(.textTest, .truth)
      node.textTest = test
      node.a = compile(left, &builder)
      node.b = compile(right, &builder)
      return builder.add(node, type)
    case .like(let operand, let pattern, let isCaseInsensitive):
      var node = node(.like, .truth)
      node.flag = isCaseInsensitive
      node.a = compile(operand, &builder)
      node.b = compile(pattern, &builder)
      return builder.add(node, type)
    case .regex(let operand, let pattern):
      var node = node(.regex, .truth)
      builder.usesScratch = true
      node.a = compile(operand, &builder)
      node.b = compile(pattern, &builder)
      return builder.add(node, type)

    case .arithmetic(let arithmetic, let left, let right):
      var node = node(.arithmetic)
      node.arithmetic = arithmetic
      if type.isNumeric {
        node.a = compile(converted(left, to: type, arithmetic), &builder)
        node.b = compile(converted(right, to: type, arithmetic), &builder)
      } else {
        if node.kind == .wide { builder.usesScratch = true }
        node.a = compile(left, &builder)
        node.b = compile(right, &builder)
      }
      return builder.add(node, type)
    case .negate(let operand):
      var node = node(.negate)
      node.a = compile(operand, &builder)
      return builder.add(node, type)
    case .convert(let operand), .cast(let operand):
      if operand.type == type { return compile(operand, &builder) }
      var node = node(.convert)
      if case .cast = expression.kind { node.flag = true }
      if node.kind == .wide { builder.usesScratch = true }
      node.a = compile(operand, &builder)
      return builder.add(node, type)
    case .coalesce(let operands):
      var node = node(.coalesce)
      var list: [Operand] = []
      for (index, operand) in operands.enumerated() { list.append(self.operand(operand, lazy: index > 0, &builder)) }
      builder.add(list, to: &node)
      return builder.add(node, type)
    case .conditional(let operands):
      var node = node(.conditional)
      builder.usesScratch = true
      let last = operands.count - 1
      var list: [Operand] = []
      for (index, operand) in operands.enumerated() {
        list.append(
          self.operand(
            index % 2 == 0 && index < last ? ExpressionCompiler.truth(operand) : operand, lazy: index > 0, &builder))
      }
      builder.add(list, to: &node)
      return builder.add(node, type)
    case .fold(let operand):
      return text(.fold, operand, expression, &builder)
    case .call(let function, let arguments): return call(function, arguments, expression, &builder)
    case .invoke(let function, let arguments): return invoke(function, arguments, expression, &builder)
    case .jsonPath(let base, let step):
      var node = node(.jsonPath)
      builder.usesScratch = true
      node.a = compile(base, &builder)
      node.b = compile(step, &builder)
      return builder.add(node, type)
    case .element(let list, let index):
      var node = node(.element)
      node.a = compile(list, &builder)
      node.b = compile(index, &builder)
      return builder.add(node, type)
    case .jsonList(let elements), .jsonObject(_, let elements):
      var node = node(.jsonList)
      builder.usesScratch = true
      var list: [Operand] = []
      for element in elements { list.append(operand(element, lazy: false, &builder)) }
      builder.add(list, to: &node)
      if case .jsonObject(let names, _) = expression.kind {
        node.operation = .jsonObject
        node.index = Int32(truncatingIfNeeded: builder.names.count)
        builder.names.append(names.map { Text($0) })
      }
      return builder.add(node, type)

    case .matches:
      var node = node(.textMatch, .truth)
      node.index = searches([expression], &builder)
      return builder.add(node, type)
    case .score(let matches):
      var node = node(.textScore, .double)
      node.index = searches(matches, &builder)
      return builder.add(node, type)
    case .highlight(let subject, let open, let close, let matches):
      var node = node(.highlight, .wide)
      builder.usesScratch = true
      node.a = compile(subject, &builder)
      node.b = compile(open, &builder)
      let end = Operand(node: compile(close, &builder), block: -1)
      builder.add([end], to: &node)
      node.index = searches(matches, &builder)
      return builder.add(node, type)
    case .quantifier(let quantifier, let set, let predicate):
      var node = node(.quantifier, .truth)
      node.quantifier = quantifier
      inner(set, predicate.map(ExpressionCompiler.truth), &node, &builder)
      return builder.add(node, type)
    case .aggregate(let aggregate, let set, let element):
      var node = node(.aggregate)
      node.aggregate = aggregate
      inner(set, element, &node, &builder)
      builder.usesScratch = true
      return builder.add(node, type)
    case .isInserted(let reference): return test(.rowSet, of: reference, -1, expression, &builder)
    case .inRowSet(let reference, let index): return test(.rowSet, of: reference, index, expression, &builder)
    case .host(let reference, let number): return test(.host, of: reference, number, expression, &builder)
    case .isDeleted(let reference):
      return test(.isDeleted, of: reference, Int(entityType(reference).index), expression, &builder)
    case .groupAggregate(let reference, let selection, let slot):
      // The numbers of groups are no rows of entities that an error could name.
      var numbers = Node(operation: .scopeRows, kind: .rows, range: expression.range)
      numbers.index = Int32(truncatingIfNeeded: reference.scope)
      var node = node(.groupAggregate)
      node.a = builder.add(numbers, .int)
      node.index = Int32(truncatingIfNeeded: selection.index)
      node.entity = Int32(truncatingIfNeeded: slot)
      return builder.add(node, type)
    case .listCall(let operation, let list, let item, let body):
      var node = node(.listQuantifier)
      switch operation {
      case .quantifier(let quantifier): node.quantifier = quantifier
      case .aggregate(let aggregate), .byKey(let aggregate):
        node.operation = operation == .byKey(aggregate) ? .listByKey : .listAggregate
        node.aggregate = aggregate
        builder.usesScratch = true
      }
      node.a = compile(list, &builder)
      node.index = Int32(truncatingIfNeeded: item)
      node.entity = Int32(truncatingIfNeeded: builder.expansionCount)
      builder.expansionCount += 1
      if let body {
        builder.needsRows = true
        var inner = body
        if case .quantifier = operation { inner = ExpressionCompiler.truth(body) }
        node.b = block([inner])
        if blocks[Int(node.b)].usesScratch { builder.usesScratch = true }
      }
      return builder.add(node, type)
    case .item(let reference, let number):
      var node = node(.item)
      if reference.scope == 0 { builder.needsRows = true }
      node.a = Int32(truncatingIfNeeded: reference.scope)
      node.index = Int32(truncatingIfNeeded: number)
      return builder.add(node, type)
    case .join(let list, let separator):
      var node = node(.join)
      builder.usesScratch = true
      node.a = compile(list, &builder)
      node.b = compile(separator, &builder)
      return builder.add(node, type)
    }
  }

  /// A test of an entity itself.
  private mutating func test(
    _ operation: Operation, of reference: EntityReference, _ index: Int, _ expression: BoundExpression,
    _ builder: inout BlockBuilder
  ) -> Int32 {
    var node = Node(operation: operation, kind: .truth, range: expression.range)
    if case .scope(0, _) = reference { builder.needsRows = true }
    node.a = rows(reference, expression.range, &builder)
    node.index = Int32(truncatingIfNeeded: index)
    return builder.add(node, expression.type)
  }
}
