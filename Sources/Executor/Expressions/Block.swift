import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// What a ``Node`` computes.
enum Operation: UInt8, Sendable {
  case constant, parameter
  /// The rows of a scope; those of a to-one relation's targets; rows as words.
  case scopeRows, toOne, rowWord
  case column
  /// What a column's cells hold beside their words.
  case finer
  case not, and, or, isTrue, isNull
  case compare, inRange, inSet, inAny, inList
  case textTest, like, regex
  case arithmetic, negate, convert, coalesce, conditional
  case fold, lower, upper, trim, length
  case jsonPath, element, jsonList, jsonObject
  case quantifier, aggregate, rowSet
  /// Whether an entity is a deleted one.
  case isDeleted
  /// A test that code of the embedding program makes of an entity.
  case host
  case textMatch, textScore, highlight
  /// The rows of the first operand, where they are missing those of the second.
  case firstRow
  /// A value of a group; null where it failed, if `Node.flag`.
  case groupAggregate
  /// A scalar function, by `Node.function`.
  case function
  /// A lazy operand; null where it fails.
  case attempt
  /// A function of the embedding program, `Node.index` in the block's table.
  case invoke
  /// Calls over lists, the element that they go through, and texts in one.
  case listQuantifier, listAggregate, listByKey, item, join
}

/// One step of a block: a kernel and its operands, which are earlier nodes of the block.
struct Node: Sendable {
  var operation: Operation
  /// The lane of the result.
  var kind: Vector.Kind
  var comparison = ComparisonOperator.equal
  var arithmetic = ArithmeticOperator.add
  var textTest = TextTest.contains
  var quantifier = Quantifier.some
  var aggregate = Aggregate.count
  /// How a column's cells lie in pages.
  var columnKind = ColumnKind.int64
  var function = ScalarFunction.lower
  var flag = false
  var a: Int32 = -1
  var b: Int32 = -1
  /// Operands in `Block.operands`.
  var firstOperand: Int32 = 0
  var operandCount: Int32 = 0
  /// The constant, parameter, column, relation, scope, set, row set, or entry of a table of the block.
  var index: Int32 = 0
  /// The entity type of `column`, `finer` and `toOne`.
  var entity: Int32 = 0
  var range: SourceRange
}

/// An operand that is either a node of the same block or a block of its own, evaluated only where it is needed.
struct Operand: Sendable {
  var node: Int32
  var block: Int32
  var isLazy: Bool { block >= 0 }
}

/// One `matches`: its texts and its query as nodes of the block.
struct CompiledSearch: Sendable {
  var texts: [Int32]
  var query: Int32
  var source: TextSource
}

/// Nodes that are evaluated together, one after another, for the same batch.
final class Block: Sendable {
  let nodes: ContiguousArray<Node>
  /// The types of the nodes' values.
  let types: ContiguousArray<ValueType>
  let operands: ContiguousArray<Operand>
  let roots: ContiguousArray<Int32>
  /// The cell of each `constant` node's index; nil for null.
  let constants: ContiguousArray<Cell?>
  let sets: ContiguousArray<ConstantSet>
  let names: ContiguousArray<[Text]>
  /// The searches of the `textMatch`, `textScore` or `highlight` node with this index.
  let searches: ContiguousArray<[CompiledSearch]>
  let functions: ContiguousArray<RegisteredFunction>
  /// The type of scope 0, if the block refers to it: for error messages.
  let entityType: EntityTypeID?
  /// Row numbers of scope 0 are needed as an array: pages alone do not do.
  let needsRows: Bool
  let usesParameters: Bool
  /// Expansions of quantifiers and aggregates that the state keeps.
  let expansionCount: Int
  /// Leaves texts in the scratch arena.
  let usesScratch: Bool

  init(_ builder: BlockBuilder, roots: [Int32]) {
    nodes = builder.nodes
    types = builder.types
    operands = builder.operands
    self.roots = ContiguousArray(roots)
    constants = builder.constants
    sets = builder.sets
    names = builder.names
    searches = builder.searches
    functions = builder.functions
    entityType = builder.entityType
    needsRows = builder.needsRows
    usesParameters = builder.nodes.contains { $0.operation == .parameter }
    expansionCount = builder.expansionCount
    usesScratch = builder.usesScratch
  }
}

extension Vector.Kind {
  /// The lane that holds values of a type.
  init(_ type: ValueType) {
    switch type {
    case .scalar(.boolean), .embedded: self = .truth
    case .scalar(.int), .scalar(.dateTime), .scalar(.date), .scalar(.duration), .enumeration: self = .word
    case .scalar(.float): self = .double
    case .entity: self = .rows
    case .scalar, .list, .null: self = .wide
    }
  }
}
