import GQLBase
import GQLBinder
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting
@testable import GQLExecutor

/// One entity type `T` with a column of every kind, its rows, and evaluation of expressions over them.
struct ExpressionHarness {
  static let type = EntityTypeID(0)
  static let status = EnumTypeID(0)
  /// Columns of `T`, in order.
  enum Column: Int, CaseIterable {
    case id, i, j, f, d, s, t, b, e, at, nums, tags, js, next

    var type: ValueType {
      switch self {
      case .id: .id
      case .i, .j: .int
      case .f: .float
      case .d: .decimal
      case .s, .t: .string
      case .b: .boolean
      case .e: .enumeration(ExpressionHarness.status)
      case .at: .scalar(.dateTime)
      case .nums: .list(.int)
      case .tags: .list(.string)
      case .js: .json
      case .next: .entity(ExpressionHarness.type)
      }
    }
  }

  let catalog: Catalog
  let snapshot: Snapshot
  let execution: Execution
  /// What the execution does not keep alive itself.
  private let executable: Executable
  let rows: [[Column: Value]]

  static func makeCatalog() -> Catalog {
    var catalog = Catalog()
    catalog.enums = [EnumType(id: status, name: "Status", values: ["NEW", "ACTIVE", "GONE"])]
    let columns = Column.allCases.map { column in
      ColumnDescriptor(
        id: ColumnID(column.rawValue), name: "\(column)",
        kind: column == .next ? .reference : ColumnKind(column.type), type: column.type, isNonNull: column == .id)
    }
    // The hidden direction of `next`.
    let hidden = ColumnDescriptor(
      id: ColumnID(columns.count), name: "previous", kind: .references, type: .list(.entity(type)), isNonNull: false)
    catalog.types = [
      EntityType(
        id: type, name: "T",
        properties: columns.map {
          Property(
            id: PropertyID(Int($0.id.index)), name: $0.name, signature: TypeSignature($0.type),
            storage: $0.name == "next" ? .relation(RelationID(0)) : .column($0.id, folded: nil))
        }, columns: columns + [hidden], idProperties: [PropertyID(0)], primaryIndex: IndexID(0), indexes: [IndexID(0)],
        rootMany: "T", rootOne: "t")
    ]
    catalog.relations = [
      Relation(
        id: RelationID(0), source: type, target: type, property: PropertyID(Column.next.rawValue),
        column: ColumnID(Column.next.rawValue), isToMany: false, isRequired: false, inverse: RelationID(1)),
      Relation(
        id: RelationID(1), source: type, target: type, property: nil, column: hidden.id, isToMany: true,
        isRequired: false, inverse: RelationID(0)),
    ]
    catalog.indexes = [
      IndexDescriptor(
        id: IndexID(0), type: type, name: "id", kind: .hash, columns: [ColumnID(0)], isUnique: true, isPrimary: true)
    ]
    return catalog
  }

  /// `links[i]` is the row that `next` of row i names.
  /// With more than one set each has a condition that none of its members meets.
  init(_ rows: [[Column: Value]], links: [Int?] = [], parameters: [BoundParameter] = [], sets: Int = 1) throws {
    catalog = ExpressionHarness.makeCatalog()
    self.rows = rows
    let transaction = WriteTransaction(Snapshot.empty(catalog))
    let pool = CellPool()
    let width = catalog.types[0].columns.count
    for (index, row) in rows.enumerated() {
      var cells = [Cell](repeating: Cell(low: 0), count: width)
      var valid = [Bool](repeating: false, count: width)
      for column in Column.allCases where column != .next {
        let value = column == .id ? .id(Text("\(index)"), isNumber: true) : row[column] ?? .null
        if let cell = pool.cell(value, column.type) {
          cells[column.rawValue] = cell
          valid[column.rawValue] = true
        }
      }
      _ = try transaction.insert(ExpressionHarness.type, cells: cells, valid: valid)
    }
    for (index, link) in links.enumerated() {
      if let link { try transaction.setReference(RelationID(0), source: UInt32(index), target: UInt32(link)) }
    }
    snapshot = transaction.commit()
    var query = BoundQuery(name: nil, parameters: parameters, catalogVersion: 0)
    // Set 0: the entities whose `next` is this one, in link order.
    let previous = BoundSet(
      type: ExpressionHarness.type, source: .relation(.scope(0, ExpressionHarness.type), RelationID(1)),
      range: SourceRange(at: 0))
    query.sets = Array(repeating: previous, count: sets)
    let none = ExpressionHarness.node(
      .compare(.less, ExpressionHarness.column(.i), ExpressionHarness.constant(.int(0), .int)))
    let filter = sets > 1 ? none : nil
    for index in query.sets.indices { query.sets[index].predicate = filter }
    let setPlan = SetPlan(access: .source, filter: filter, order: .natural)
    let plan = PhysicalPlan(query: query, sets: Array(repeating: setPlan, count: sets))
    executable = try Executable(plan, catalog: catalog)
    execution = Execution(executable, snapshot)
    execution.begin(snapshot, executable)
  }

  /// Begins another run with these parameters.
  func bind(_ parameters: [Value?]) {
    execution.begin(snapshot, executable)
    execution.bind(parameters, executable)
  }

  static func column(_ column: Column) -> BoundExpression {
    BoundExpression(.column(.scope(0, type), ColumnID(column.rawValue)), column.type, at: SourceRange(at: 0))
  }

  static func nextColumn(_ column: Column) -> BoundExpression {
    BoundExpression(
      .column(.toOne(.scope(0, type), RelationID(0)), ColumnID(column.rawValue)), column.type, at: SourceRange(at: 0))
  }

  static func constant(_ value: Value, _ type: ValueType) -> BoundExpression {
    BoundExpression(.constant(value), type, at: SourceRange(at: 0))
  }

  static func node(
    _ kind: BoundExpression.Kind, _ type: ValueType = .boolean, at offset: UInt32 = 0
  ) -> BoundExpression {
    BoundExpression(kind, type, at: SourceRange(at: offset))
  }

  /// The JSON of the expression for the given rows (all rows, if not said), gathered in batches.
  func evaluate(_ expression: BoundExpression, rows chosen: [UInt32]? = nil) throws(RuntimeProblem) -> [String] {
    let program = ExpressionProgram([expression], catalog: catalog)
    let chosen = chosen ?? (0..<UInt32(rows.count)).map { $0 }
    let buffer = UnsafeMutablePointer<UInt32>.allocate(capacity: ScopeRows.batchRows)
    defer { buffer.deallocate() }
    var results: [String] = []
    var start = 0
    while start < chosen.count {
      let count = min(ScopeRows.batchRows, chosen.count - start)
      for index in 0..<count { buffer[index] = chosen[start + index] }
      let vectors = try program.evaluate(ScopeRows(count: count, scopes: [UnsafePointer(buffer)]), execution)
      for position in 0..<count {
        var out = ByteBuffer()
        write(vectors[0], position, type: expression.type, catalog: catalog, into: &out)
        results.append(out.string)
      }
      start += count
    }
    return results
  }

  /// Rows for which the predicate is true, over gathered batches.
  func filter(_ predicate: BoundExpression) throws(RuntimeProblem) -> [UInt32] {
    let program = ExpressionProgram([predicate], catalog: catalog)
    let positions = UnsafeMutablePointer<UInt16>.allocate(capacity: ScopeRows.batchRows)
    let buffer = UnsafeMutablePointer<UInt32>.allocate(capacity: ScopeRows.batchRows)
    defer {
      positions.deallocate()
      buffer.deallocate()
    }
    var result: [UInt32] = []
    var start = 0
    while start < rows.count {
      let count = min(ScopeRows.batchRows, rows.count - start)
      for index in 0..<count { buffer[index] = UInt32(start + index) }
      let found = try program.filter(
        ScopeRows(count: count, scopes: [UnsafePointer(buffer)]), execution, into: positions)
      for index in 0..<found { result.append(buffer[Int(positions[index])]) }
      start += count
    }
    return result
  }

  /// The same over pages, in slices that begin anywhere, and the sum of `countPage`.
  func filterPages(
    _ predicate: BoundExpression, slice: Int = 1024
  ) throws(RuntimeProblem) -> (rows: [UInt32], count: Int) {
    let program = ExpressionProgram([predicate], catalog: catalog)
    let buffer = UnsafeMutablePointer<UInt32>.allocate(capacity: ScopeRows.batchRows)
    defer { buffer.deallocate() }
    var result: [UInt32] = []
    var total = 0
    var start = 0
    while start < rows.count {
      let count = min(slice, rows.count - start, 1024 - start % 1024)
      let found = try program.filterPage(
        firstRow: UInt32(start), count: count, outer: nil, execution, into: buffer)
      for index in 0..<found { result.append(buffer[index]) }
      total += try program.countPage(firstRow: UInt32(start), count: count, outer: nil, execution)
      start += count
    }
    return (result, total)
  }
}

/// A small generator, the same everywhere for a seed.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
