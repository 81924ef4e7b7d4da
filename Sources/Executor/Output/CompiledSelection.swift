import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// A ``BoundSelection`` made ready to be written. The root is one, too, without a set.
///
/// Unchecked because of the address of its operations, which the executable's ``ByteBlock`` holds and nobody writes to.
final class CompiledSelection: @unchecked Sendable {
  /// Expressions that are evaluated together, as they are written under the same condition.
  struct Group {
    var condition: Int
    var program: ExpressionProgram
    /// True if a value may be as long as the answer may be: a list, or JSON.
    var isLong: Bool
  }
  struct Child {
    var selection: Int
    var condition: Int
    /// Whether all members are written where the condition holds.
    var isWritten: Bool
  }
  let set: Int
  let isObject: Bool
  let operations: UnsafePointer<FieldOperation>
  let operationCount: Int
  let types: [ValueType]
  let groups: [Group]
  let children: [Child]
  /// How many scopes, that of the members included, are used at this level and below.
  let usedScopes: Int
  /// `@recurse`; its operation is the last.
  let recursion: CompiledRecursion?
  /// `_depth` of a closure is among the fields.
  let showsDepths: Bool
  /// Columns whose cells are read while writing.
  let warmReaders: ContiguousArray<WarmReader>
  /// Set before the executable is shared; nil if members are written, not groups of them.
  @exclusivity(unchecked) var grouping: CompiledGrouping?
  /// Set before the executable is shared; nil if finding the member takes more.
  @exclusivity(unchecked) var point: PointLookup?

  struct WarmReader: BitwiseCopyable {
    var reader: Int
    var width: Int
    var isText: Bool
  }

  init(
    set: Int, fields: [BoundField]?, value: BoundExpression?, type: EntityTypeID?, recursion: BoundRecursion? = nil,
    _ compiler: inout PlanCompiler, _ output: inout OutputCompiler
  ) {
    self.set = set
    self.recursion = recursion.map { CompiledRecursion($0, &compiler) }
    isObject = fields != nil
    var builder = SelectionBuilder(type: type)
    if let fields { builder.add(fields, condition: -1, &compiler, &output) }
    if let value { builder.add(value, key: nil, condition: -1, &compiler, &output) }
    operations = output.block.room(for: builder.operations)
    operationCount = builder.operations.count
    types = builder.types
    groups = builder.groups.map { group in
      Group(
        condition: group.condition, program: compiler.program(group.expressions),
        isLong: group.expressions.contains { expression in
          switch expression.type {
          case .list, .scalar(.json): true
          default: false
          }
        })
    }
    children = builder.children
    showsDepths = recursion == nil && builder.operations.contains { $0.kind == .depth }
    if set >= 0, builder.operations.contains(where: { $0.kind == .cursor }) { builder.useCursor(of: set, &compiler) }
    usedScopes = builder.usedScopes
    warmReaders = ContiguousArray(
      builder.operations.compactMap { operation in
        guard operation.reader >= 0 else { return nil }
        let width =
          switch operation.kind {
          case .int, .float, .dateTime, .date: 8
          case .text, .id: 16
          case .code: 2
          case .boolean: 1
          default: 0
          }
        if width == 0 { return nil }
        return WarmReader(reader: Int(operation.reader), width: width, isText: width == 16)
      })
  }
}

/// What the selections of an ``Executable`` share while they are made.
struct OutputCompiler {
  let block: ByteBlock
  /// `usedScopes` of selections that are made already; children are made before their parents.
  var usedScopes: [Int]
  private(set) var conditions: [BoundExpression] = []
  /// Of conditions, wherever they are written.
  private var conditionSlots: [BoundExpression.Kind: Int] = [:]
  private(set) var enums: [EnumNames] = []
  var introspections: [BoundIntrospection] = []
  private var enumSlots: [EnumTypeID: Int] = [:]

  init(block: ByteBlock, selections: Int) {
    self.block = block
    usedScopes = Array(repeating: 0, count: selections)
  }

  mutating func condition(_ expression: BoundExpression?) -> Int {
    guard let expression else { return -1 }
    if let slot = conditionSlots[expression.kind] { return slot }
    conditions.append(expression)
    conditionSlots[expression.kind] = conditions.count - 1
    return conditions.count - 1
  }

  mutating func names(_ id: EnumTypeID, _ catalog: Catalog) -> Int {
    if let slot = enumSlots[id] { return slot }
    let names = catalog[id].values.map { value in
      let bytes = OutputCompiler.json(value)
      return EnumNames.Name(start: block.store(bytes), count: bytes.count)
    }
    enums.append(EnumNames(names: block.room(for: names), count: names.count))
    enumSlots[id] = enums.count - 1
    return enums.count - 1
  }

  /// Appends a text in quotes, most of which need no escapes.
  static func append(json text: String, to bytes: inout [UInt8]) {
    var text = text
    let isName = text.withUTF8 { name in
      for byte in name where byte &- 0x30 >= 10 && (byte | 0x20) &- 0x61 >= 26 && byte != 0x5F { return false }
      bytes.append(0x22)
      bytes.append(contentsOf: name)
      bytes.append(0x22)
      return true
    }
    if !isName { bytes += json(text) }
  }

  static func json(_ text: String) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.append(json: text)
    return buffer.takeArray()
  }
}

private struct SelectionBuilder {
  struct Group {
    var condition: Int
    var expressions: [BoundExpression] = []
  }
  let type: EntityTypeID?
  var operations: [FieldOperation] = []
  var types: [ValueType] = []
  var groups: [Group] = []
  var children: [CompiledSelection.Child] = []
  var usedScopes = 0
  /// The fields stand in an object, or among fields, that some members have not.
  private var isOptional = false

  init(type: EntityTypeID?) { self.type = type }

  mutating func add(
    _ fields: [BoundField], condition outer: Int, _ compiler: inout PlanCompiler, _ output: inout OutputCompiler
  ) {
    operations.reserveCapacity(operations.count + fields.count)
    types.reserveCapacity(types.count + fields.count)
    for (number, field) in fields.enumerated() {
      // Nothing is run then.
      if number & 0x3F == 0x3F, compiler.isInterrupted { return }
      let start = operations.count
      defer { if field.omitsNull, start < operations.count { operations[start].omitsNull = true } }
      let own = output.condition(field.condition)
      // Within an embedded object that has a condition, only the object's own is looked at: fields below are
      // skipped with it.
      let condition = own >= 0 ? own : outer
      switch field.content {
      case .typename(let name):
        append(.fixed, key: field.key, own, &output, suffix: OutputCompiler.json(name))
      case .introspection(let bound):
        append(.introspection, key: field.key, own, &output)
        operations[operations.count - 1].index = Int32(output.introspections.count)
        output.introspections.append(bound)
      case .value(let expression):
        add(expression, key: field.key, condition: own, evaluatedUnder: condition, &compiler, &output)
      case .embedded(let presence, let inner):
        let index = operations.count
        if let column = column(presence) {
          append(.embedded, key: field.key, own, &output)
          operations[index].reader = Int32(compiler.reader(column.0, column.1))
        } else {
          append(.embeddedComputed, key: field.key, own, &output)
          let place = computed(presence, condition, &compiler)
          operations[index].group = Int32(place.group)
          operations[index].vector = Int32(place.vector)
        }
        addOptional(inner, condition: condition, &compiler, &output)
        operations[index].end = Int32(operations.count)
      case .inlined(let truth, let inner):
        let index = operations.count
        append(.inlined, key: nil, own, &output)
        let place = computed(truth, condition, &compiler)
        operations[index].group = Int32(place.group)
        operations[index].vector = Int32(place.vector)
        addOptional(inner, condition: condition, &compiler, &output)
        operations[index].end = Int32(operations.count)
      case .one(let id), .many(let id):
        var isMany = false
        if case .many = field.content { isMany = true }
        append(isMany ? .many : .one, key: field.key, own, &output)
        operations[operations.count - 1].index = Int32(id.index)
        children.append(CompiledSelection.Child(selection: id.index, condition: condition, isWritten: !isOptional))
        let selection = compiler.plan.query.selections[id.index]
        // Around a recursion stands the parent of each level, then what is around the first one.
        let own = selection.recursion == nil ? 0 : 1
        usedScopes = max(
          usedScopes, compiler.scopesUsed(byAround: selection.set.index) - own, output.usedScopes[id.index] - 1 - own)
      case .recursion: append(.recursion, key: field.key, own, &output)
      case .depth: append(.depth, key: field.key, own, &output)
      case .cycle: append(.cycle, key: field.key, own, &output)
      case .cursor: append(.cursor, key: field.key, own, &output)
      }
    }
  }

  private mutating func addOptional(
    _ fields: [BoundField], condition: Int, _ compiler: inout PlanCompiler, _ output: inout OutputCompiler
  ) {
    let outer = isOptional
    isOptional = true
    add(fields, condition: condition, &compiler, &output)
    isOptional = outer
  }

  mutating func add(
    _ expression: BoundExpression, key: String?, condition: Int, _ compiler: inout PlanCompiler,
    _ output: inout OutputCompiler
  ) {
    add(expression, key: key, condition: condition, evaluatedUnder: condition, &compiler, &output)
  }

  private mutating func add(
    _ expression: BoundExpression, key: String?, condition: Int, evaluatedUnder group: Int,
    _ compiler: inout PlanCompiler, _ output: inout OutputCompiler
  ) {
    let type = compiler.plan.query.writesIDsAsText ? expression.type.withTextIDs : expression.type
    let form = SelectionBuilder.form(type)
    usedScopes = max(usedScopes, compiler.scopes(expression))
    if let column = column(expression) {
      append(form, key: key, condition, &output, suffix: form == .text ? [0x22] : [])
      operations[operations.count - 1].reader = Int32(compiler.reader(column.0, column.1))
    } else {
      append(.computed, key: key, condition, &output)
      let place = computed(expression, group, &compiler)
      operations[operations.count - 1].group = Int32(place.group)
      operations[operations.count - 1].vector = Int32(place.vector)
      operations[operations.count - 1].form = form
    }
    if case .enumeration(let id) = type, form == .code {
      operations[operations.count - 1].index = Int32(output.names(id, compiler.catalog))
    } else {
      types.append(type)
      operations[operations.count - 1].index = Int32(types.count - 1)
    }
  }

  /// A cursor needs the order terms, and the entity whose links the list follows, or the group.
  mutating func useCursor(of set: Int, _ compiler: inout PlanCompiler) {
    let bound = compiler.plan.query.sets[set]
    for term in bound.order { usedScopes = max(usedScopes, compiler.scopes(term.expression)) }
    switch bound.source {
    case .relation(let reference, _), .items(let reference, _): usedScopes = max(usedScopes, reference.scope + 2)
    case .branches(let branches): for branch in branches { usedScopes = max(usedScopes, branch.reference.scope + 2) }
    default: break
    }
  }

  /// The column of the member itself.
  private func column(_ expression: BoundExpression) -> (EntityTypeID, ColumnID)? {
    guard let type, case .column(.scope(0, _), let column) = expression.kind else { return nil }
    return (type, column)
  }

  private mutating func computed(
    _ expression: BoundExpression, _ condition: Int, _ compiler: inout PlanCompiler
  ) -> (group: Int, vector: Int) {
    usedScopes = max(usedScopes, compiler.scopes(expression))
    let group: Int
    if let index = groups.firstIndex(where: { $0.condition == condition }) {
      group = index
    } else {
      groups.append(Group(condition: condition))
      group = groups.count - 1
    }
    groups[group].expressions.append(expression)
    return (group, groups[group].expressions.count - 1)
  }

  private mutating func append(
    _ kind: FieldOperation.Kind, key: String?, _ condition: Int, _ output: inout OutputCompiler,
    suffix: [UInt8] = []
  ) {
    var prefix: [UInt8] = []
    if let key {
      prefix.reserveCapacity(key.utf8.count + suffix.count + 4)
      prefix.append(0x2C)
      OutputCompiler.append(json: key, to: &prefix)
      prefix.append(0x3A)
    }
    prefix += suffix
    operations.append(
      FieldOperation(
        kind: kind, condition: Int32(condition), prefix: output.block.store(prefix),
        prefixCount: Int32(prefix.count)))
  }

  private static func form(_ type: ValueType) -> FieldOperation.Kind {
    switch type {
    case .scalar(.int): .int
    case .scalar(.float): .float
    case .scalar(.boolean): .boolean
    case .scalar(.string), .scalar(.uuid): .text
    case .scalar(.id): .id
    case .scalar(.dateTime): .dateTime
    case .scalar(.date): .date
    case .enumeration: .code
    default: .cell
    }
  }
}
