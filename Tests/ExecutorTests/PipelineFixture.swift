import GQLBase
import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLStore
import GQLWriting

/// Users and messages: small, and made by hand, so that answers can be worked out on paper.
///
/// | user row | id | name | age | score | status |
/// |---|---|---|---|---|---|
/// | 0 | 1 (number) | Ann | 30 | 1.5 | ACTIVE |
/// | 1 | 2 (number) | Bo "B" | null | 2 | ACTIVE |
/// | 2 | "x3" | Cid, a longer name | 25 | null | GONE |
/// | 3 | 4 (number) | null | 30 | -0.25 | null |
///
/// | message row | id | text | sent | author | likes |
/// |---|---|---|---|---|---|
/// | 0 | 10 | one | 5 | 0 | 3 |
/// | 1 | 11 | two | 1 | 1 | 9 |
/// | 2 | 12 | three | 4 | 0 | 3 |
/// | 3 | 13 | four | 2 | 0 | 7 |
/// | 4 | 14 | five | 3 | – | 0 |
struct PipelineFixture {
  var catalog = Catalog()
  static let user = EntityTypeID(0)
  static let message = EntityTypeID(1)
  static let status = EnumTypeID(0)
  /// Columns of User.
  static let id = ColumnID(0)
  static let name = ColumnID(1)
  static let age = ColumnID(2)
  static let score = ColumnID(3)
  static let state = ColumnID(4)
  static let messages = ColumnID(5)
  /// Columns of Message; `id` is the same.
  static let text = ColumnID(1)
  static let sent = ColumnID(2)
  static let author = ColumnID(3)
  static let likes = ColumnID(4)
  static let userMessages = RelationID(0)
  static let messageAuthor = RelationID(1)
  static let userID = IndexID(0)
  static let messageID = IndexID(1)
  static let userAge = IndexID(2)
  static let userStatus = IndexID(3)
  static let messageSent = IndexID(4)

  init() {
    typealias F = PipelineFixture
    catalog.enums = [EnumType(id: F.status, name: "Status", values: ["ACTIVE", "GONE"])]
    catalog.types = [
      EntityType(
        id: F.user, name: "User",
        properties: [
          F.property(0, "id", .id, 0, isNonNull: true), F.property(1, "name", .string, 1),
          F.property(2, "age", .int, 2), F.property(3, "score", .float, 3),
          F.property(4, "status", .enumeration(F.status), 4),
          Property(
            id: PropertyID(5), name: "messages",
            signature: TypeSignature(.list(.entity(F.message)), isNonNull: true, isElementNonNull: true),
            storage: .relation(F.userMessages)),
        ],
        columns: [
          F.column(0, "id", .id, isNonNull: true), F.column(1, "name", .string), F.column(2, "age", .int),
          F.column(3, "score", .float), F.column(4, "status", .enumeration(F.status)),
          ColumnDescriptor(
            id: F.messages, name: "messages", kind: .references, type: .list(.entity(F.message)), isNonNull: false),
        ],
        idProperties: [PropertyID(0)], primaryIndex: F.userID, indexes: [F.userID, F.userAge, F.userStatus],
        rootMany: "User", rootOne: "user"),
      EntityType(
        id: F.message, name: "Message",
        properties: [
          F.property(0, "id", .id, 0, isNonNull: true), F.property(1, "text", .string, 1),
          F.property(2, "sent", .int, 2, isNonNull: true),
          Property(
            id: PropertyID(3), name: "author", signature: TypeSignature(.entity(F.user)),
            storage: .relation(F.messageAuthor)),
          F.property(4, "likes", .int, 4, isNonNull: true),
        ],
        columns: [
          F.column(0, "id", .id, isNonNull: true), F.column(1, "text", .string),
          F.column(2, "sent", .int, isNonNull: true),
          ColumnDescriptor(
            id: F.author, name: "author", kind: .reference, type: .entity(F.user), isNonNull: false),
          F.column(4, "likes", .int, isNonNull: true),
        ],
        idProperties: [PropertyID(0)], primaryIndex: F.messageID, indexes: [F.messageID, F.messageSent],
        rootMany: "Message", rootOne: "message"),
    ]
    catalog.relations = [
      Relation(
        id: F.userMessages, source: F.user, target: F.message, property: PropertyID(5), column: F.messages,
        isToMany: true, isRequired: false, inverse: F.messageAuthor),
      Relation(
        id: F.messageAuthor, source: F.message, target: F.user, property: PropertyID(3), column: F.author,
        isToMany: false, isRequired: false, inverse: F.userMessages),
    ]
    catalog.indexes = [
      IndexDescriptor(
        id: F.userID, type: F.user, name: "id", kind: .hash, columns: [F.id], isUnique: true, isPrimary: true),
      IndexDescriptor(
        id: F.messageID, type: F.message, name: "id", kind: .hash, columns: [F.id], isUnique: true, isPrimary: true),
      IndexDescriptor(id: F.userAge, type: F.user, name: "age", kind: .btree, columns: [F.age]),
      IndexDescriptor(id: F.userStatus, type: F.user, name: "status", kind: .hash, columns: [F.state]),
      IndexDescriptor(id: F.messageSent, type: F.message, name: "sent", kind: .btree, columns: [F.sent]),
    ]
  }

  private static func property(
    _ index: Int, _ name: String, _ type: ValueType, _ column: Int, isNonNull: Bool = false
  ) -> Property {
    Property(
      id: PropertyID(index), name: name, signature: TypeSignature(type, isNonNull: isNonNull),
      storage: .column(ColumnID(column), folded: nil))
  }

  private static func column(
    _ index: Int, _ name: String, _ type: ValueType, isNonNull: Bool = false
  ) -> ColumnDescriptor {
    ColumnDescriptor(id: ColumnID(index), name: name, kind: ColumnKind(type), type: type, isNonNull: isNonNull)
  }

  // MARK: - Data

  /// What stands in the tables above.
  func snapshot() throws -> Snapshot {
    typealias F = PipelineFixture
    let transaction = WriteTransaction(Snapshot.empty(catalog))
    let pool = CellPool()
    func add(_ type: EntityTypeID, _ values: [Value]) throws -> UInt32 {
      let columns = catalog[type].columns
      var cells: [Cell] = []
      var valid: [Bool] = []
      for (value, column) in zip(values, columns) {
        let cell = column.kind == .reference || column.kind == .references ? nil : pool.cell(value, column.type)
        cells.append(cell ?? Cell(low: 0))
        valid.append(cell != nil)
      }
      return try transaction.insert(type, cells: cells, valid: valid)
    }
    func id(_ text: String, _ isNumber: Bool = true) -> Value { .id(Text(text), isNumber: isNumber) }
    func status(_ code: Int) -> Value { .enumeration(F.status, code: code) }
    _ = try add(F.user, [id("1"), .string("Ann"), .int(30), .float(1.5), status(0), .null])
    _ = try add(F.user, [id("2"), .string("Bo \"B\""), .null, .float(2), status(0), .null])
    _ = try add(F.user, [id("x3", false), .string("Cid, a longer name"), .int(25), .null, status(1), .null])
    _ = try add(F.user, [id("4"), .null, .int(30), .float(-0.25), .null, .null])
    let messages: [(String, Int64, UInt32?, Int64)] = [
      ("one", 5, 0, 3), ("two", 1, 1, 9), ("three", 4, 0, 3), ("four", 2, 0, 7), ("five", 3, nil, 0),
    ]
    for (index, message) in messages.enumerated() {
      let row = try add(
        F.message, [id("\(10 + index)"), .string(Text(message.0)), .int(message.1), .null, .int(message.3)])
      try transaction.setReference(F.messageAuthor, source: row, target: message.2)
    }
    return transaction.commit()
  }

  /// The answer of a plan.
  func answer(
    _ plan: PhysicalPlan, _ snapshot: Snapshot, _ parameters: [Value?] = [], limits: RunLimits = .none
  ) throws -> String {
    var output = ByteBuffer()
    try Executable(plan, catalog: catalog)
      .run(snapshot, parameters: parameters, limits: limits, cancellation: nil, into: &output)
    return output.string
  }
}

/// Makes bound queries and their plans with few words.
struct PipelineQuery {
  var query: BoundQuery
  var sets: [SetPlan] = []
  var rowSets: [RowSetPlan] = []

  static let nowhere = SourceRange(at: 0)

  init(_ catalog: Catalog, parameters: [ValueType] = []) {
    self.catalog = catalog
    query = BoundQuery(
      name: nil,
      parameters: parameters.enumerated().map {
        BoundParameter(name: "p\($0)", signature: TypeSignature($1), defaultValue: nil, range: Self.nowhere)
      }, catalogVersion: catalog.version)
  }

  /// The plan, with the operators that the planner chooses.
  var plan: PhysicalPlan {
    var plan = PhysicalPlan(query: query, sets: sets, rowSets: rowSets)
    plan.chooseOperators(catalog)
    return plan
  }

  private let catalog: Catalog

  mutating func set(
    _ type: EntityTypeID, _ source: BoundSet.Source = .all, access: AccessPath = .source,
    filter: BoundExpression? = nil, order: [BoundOrderTerm] = [], method: OrderMethod = .natural,
    distinctOn: [BoundExpression] = [], limit: BoundExpression? = nil, offset: BoundExpression? = nil
  ) -> SetID {
    query.sets.append(
      BoundSet(
        type: type, source: source, predicate: filter, order: order, distinctOn: distinctOn, limit: limit,
        offset: offset, range: Self.nowhere))
    // The first are kept where it is known how many, and which.
    let keepsAll = method == .topN && (limit == nil || !distinctOn.isEmpty)
    sets.append(SetPlan(access: access, filter: filter, order: keepsAll ? .sort : method))
    return SetID(query.sets.count - 1)
  }

  /// Parents must be made before their children: a place for the fields, which `fill` gives.
  mutating func selection(_ set: SetID, _ fields: [BoundField] = []) -> SelectionID {
    query.selections.append(BoundSelection(set: set, shape: .object(fields)))
    return SelectionID(query.selections.count - 1)
  }

  mutating func fill(_ selection: SelectionID, _ fields: [BoundField]) {
    query.selections[selection.index].shape = .object(fields)
  }

  mutating func root(_ key: String, _ content: BoundField.Content, if condition: BoundExpression? = nil) {
    query.fields.append(BoundField(key: key, condition: condition, content: content, range: Self.nowhere))
  }
}

func field(
  _ key: String, _ content: BoundField.Content, if condition: BoundExpression? = nil
) -> BoundField {
  BoundField(key: key, condition: condition, content: content, range: PipelineQuery.nowhere)
}

func column(
  _ type: EntityTypeID, _ column: ColumnID, _ valueType: ValueType, scope: Int = 0
) -> BoundExpression {
  BoundExpression(.column(.scope(scope, type), column), valueType, at: PipelineQuery.nowhere)
}

func constant(_ value: Value, _ type: ValueType) -> BoundExpression {
  BoundExpression(.constant(value), type, at: PipelineQuery.nowhere)
}

func parameter(_ index: Int, _ type: ValueType) -> BoundExpression {
  BoundExpression(.parameter(index), type, at: PipelineQuery.nowhere)
}

func int(_ value: Int64) -> BoundExpression { constant(.int(value), .int) }

func compare(_ test: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression) -> BoundExpression {
  BoundExpression(.compare(test, left, right), .boolean, at: PipelineQuery.nowhere)
}

func count(_ set: SetID) -> BoundExpression {
  BoundExpression(.aggregate(.count, set, nil), .int, at: PipelineQuery.nowhere)
}
