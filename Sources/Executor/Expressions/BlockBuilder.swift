import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// Collects the nodes of one block while it is compiled.
struct BlockBuilder {
  var nodes = ContiguousArray<Node>()
  var types = ContiguousArray<ValueType>()
  var operands = ContiguousArray<Operand>()
  var constants = ContiguousArray<Cell?>()
  var sets = ContiguousArray<ConstantSet>()
  var names = ContiguousArray<[Text]>()
  var searches = ContiguousArray<[CompiledSearch]>()
  var functions = ContiguousArray<RegisteredFunction>()
  var entityType: EntityTypeID?
  var needsRows = false
  var usesScratch = false
  var expansionCount = 0
  var known: [BoundExpression.Kind: Int32] = [:]
  var knownEntities: [EntityReference: Int32] = [:]

  mutating func add(_ node: Node, _ type: ValueType) -> Int32 {
    nodes.append(node)
    types.append(type)
    return Int32(truncatingIfNeeded: nodes.count - 1)
  }

  mutating func add(_ list: [Operand], to node: inout Node) {
    node.firstOperand = Int32(truncatingIfNeeded: operands.count)
    node.operandCount = Int32(truncatingIfNeeded: list.count)
    operands += list
  }
}
