import GQLBase
import GQLCatalog
import GQLPlanner
import GQLQuery

/// Figures instead of data.
struct TestStatistics: Statistics {
  var rows: [EntityTypeID: Int] = [:]
  var distinct: [ColumnKey: Double] = [:]
  var nulls: [ColumnKey: Int] = [:]
  var fanOuts: [RelationID: FanOut] = [:]
  /// Share of the rows in a range, by index; nil makes the index silent.
  var shares: [IndexID: @Sendable (KeyRange) -> Int?] = [:]
  var idOrders: [EntityTypeID: IDOrder] = [:]
  var ascending: Set<ColumnKey> = []
  var generation: UInt64 = 1

  struct ColumnKey: Hashable {
    var type: EntityTypeID
    var column: ColumnID
  }

  func rowCount(_ type: EntityTypeID) -> Int { rows[type] ?? 0 }
  func distinctCount(_ type: EntityTypeID, _ column: ColumnID) -> Double? {
    distinct[ColumnKey(type: type, column: column)]
  }
  func nullCount(_ type: EntityTypeID, _ column: ColumnID) -> Int { nulls[ColumnKey(type: type, column: column)] ?? 0 }
  func fanOut(_ relation: RelationID) -> FanOut { fanOuts[relation] ?? FanOut(mean: 1, maximum: 1, nonEmpty: 1) }
  func idOrder(_ type: EntityTypeID) -> IDOrder { idOrders[type] ?? .none }
  func ascends(_ type: EntityTypeID, _ column: ColumnID) -> Bool {
    ascending.contains(ColumnKey(type: type, column: column))
  }
  func cardinality(_ index: IndexID, _ range: KeyRange) -> Int? { shares[index]?(range) }
}

/// A chat application: 100,000 users, 1,000,000 messages, some countries.
///
///     User(id, email @unique, name @index, age @index, status @index(HASH), city, balance) @index(city, age)
///     Message(id, text @index(HASH), createdAt @index, likes, author)        Country(id, numeric @index(HASH), area)
struct ChatFixture {
  static let user = EntityTypeID(0)
  static let message = EntityTypeID(1)
  static let country = EntityTypeID(2)
  static let status = EnumTypeID(0)

  enum User {
    static let id = ColumnID(0)
    static let email = ColumnID(1)
    static let name = ColumnID(2)
    static let age = ColumnID(3)
    static let status = ColumnID(4)
    static let city = ColumnID(5)
    static let balance = ColumnID(6)
    static let messages = ColumnID(7)
  }
  enum Message {
    static let id = ColumnID(0)
    static let text = ColumnID(1)
    static let createdAt = ColumnID(2)
    static let likes = ColumnID(3)
    static let author = ColumnID(4)
  }
  enum Country {
    static let id = ColumnID(0)
    static let numeric = ColumnID(1)
    static let area = ColumnID(2)
  }
  enum Index {
    static let userID = IndexID(0)
    static let email = IndexID(1)
    static let name = IndexID(2)
    static let age = IndexID(3)
    static let status = IndexID(4)
    static let cityAge = IndexID(5)
    static let messageID = IndexID(6)
    static let text = IndexID(7)
    static let createdAt = IndexID(8)
    static let countryID = IndexID(9)
    static let numeric = IndexID(10)
  }
  static let messages = RelationID(0)
  static let author = RelationID(1)

  var catalog = Catalog()
  var statistics = TestStatistics()

  init() {
    catalog.enums = [EnumType(id: Self.status, name: "Status", values: ["ACTIVE", "IDLE", "BANNED"])]
    catalog.types = [
      Self.type(
        Self.user, "User",
        [
          ("id", .id, true), ("email", .string, true), ("name", .string, true), ("age", .int, false),
          ("status", .enumeration(Self.status), true), ("city", .string, true), ("balance", .int, false),
          ("messages", .list(.entity(Self.message)), true),
        ], indexes: 0...5),
      Self.type(
        Self.message, "Message",
        [
          ("id", .id, true), ("text", .string, true), ("createdAt", .scalar(.dateTime), true), ("likes", .int, true),
          ("author", .entity(Self.user), false),
        ], indexes: 6...8),
      Self.type(
        Self.country, "Country", [("id", .id, true), ("numeric", .int, false), ("area", .int, true)], indexes: 9...10),
    ]
    func index(
      _ id: IndexID, _ type: EntityTypeID, _ kind: IndexDescriptor.Kind, _ columns: [ColumnID], unique: Bool = false,
      primary: Bool = false
    ) -> IndexDescriptor {
      let name = columns.map { catalog[type][$0].name }.joined(separator: "_")
      return IndexDescriptor(
        id: id, type: type, name: name, kind: kind, columns: columns, isUnique: unique, isPrimary: primary)
    }
    catalog.indexes = [
      index(Index.userID, Self.user, .hash, [User.id], unique: true, primary: true),
      index(Index.email, Self.user, .hash, [User.email], unique: true),
      index(Index.name, Self.user, .btree, [User.name]), index(Index.age, Self.user, .btree, [User.age]),
      index(Index.status, Self.user, .hash, [User.status]),
      index(Index.cityAge, Self.user, .btree, [User.city, User.age]),
      index(Index.messageID, Self.message, .hash, [Message.id], unique: true, primary: true),
      index(Index.text, Self.message, .hash, [Message.text]),
      index(Index.createdAt, Self.message, .btree, [Message.createdAt]),
      index(Index.countryID, Self.country, .hash, [Country.id], unique: true, primary: true),
      index(Index.numeric, Self.country, .hash, [Country.numeric]),
    ]
    catalog.relations = [
      Relation(
        id: Self.messages, source: Self.user, target: Self.message, property: PropertyID(7), column: User.messages,
        isToMany: true, isRequired: false, inverse: Self.author),
      Relation(
        id: Self.author, source: Self.message, target: Self.user, property: PropertyID(4), column: Message.author,
        isToMany: false, isRequired: false, inverse: Self.messages),
    ]
    statistics.rows = [Self.user: 100_000, Self.message: 1_000_000, Self.country: 250]
    statistics.fanOuts = [
      Self.messages: FanOut(mean: 10, maximum: 5_000, nonEmpty: 60_000),
      Self.author: FanOut(mean: 1, maximum: 1, nonEmpty: 1_000_000),
    ]
    statistics.nulls[.init(type: Self.user, column: User.age)] = 1_000
    // Ages lie evenly in 0 ..< 100, times in 0 ..< 1,000,000; each status has a third; a text is said three times.
    statistics.shares = [
      Index.userID: { _ in 1 }, Index.email: { _ in 1 }, Index.messageID: { _ in 1 }, Index.countryID: { _ in 1 },
      Index.name: { $0.prefix != nil ? 50 : $0.equal.isEmpty ? nil : 2 },
      Index.age: { Self.spread($0, of: 100, rows: 99_000) }, Index.status: { _ in 33_000 },
      Index.cityAge: { range in
        let isBounded = range.equal.count > 1 || range.lower != nil || range.upper != nil
        return range.equal.isEmpty ? nil : isBounded ? 10 : 400
      },
      Index.text: { _ in 3 }, Index.createdAt: { Self.spread($0, of: 1_000_000, rows: 1_000_000) },
      Index.numeric: { _ in 1 },
    ]
  }

  private static func spread(_ range: KeyRange, of keys: Double, rows: Double) -> Int {
    func number(_ value: Value?) -> Double? {
      switch value {
      case .int(let number)?, .dateTime(let number)?: Double(number)
      default: nil
      }
    }
    if !range.equal.isEmpty { return Int(rows / keys) }
    let low = max(0, number(range.lower?.value) ?? 0)
    let high = min(keys, number(range.upper?.value) ?? keys)
    return Int(max(0, high - low) / keys * rows)
  }

  private static func type(
    _ id: EntityTypeID, _ name: String, _ fields: [(String, ValueType, Bool)], indexes: ClosedRange<Int>
  ) -> EntityType {
    let columns = fields.enumerated().map { position, field in
      var kind = ColumnKind(field.1)
      if case .list(.entity) = field.1 { kind = .references }
      return ColumnDescriptor(
        id: ColumnID(position), name: field.0, kind: kind, type: field.1, isNonNull: field.2)
    }
    let properties = fields.enumerated().map { position, field in
      Property(
        id: PropertyID(position), name: field.0, signature: TypeSignature(field.1, isNonNull: field.2),
        storage: .column(ColumnID(position), folded: nil))
    }
    return EntityType(
      id: id, name: name, properties: properties, columns: columns, idProperties: [PropertyID(0)],
      primaryIndex: IndexID(indexes.lowerBound), indexes: indexes.map { IndexID($0) }, rootMany: name,
      rootOne: name.lowercased())
  }
}

// MARK: Builders

let nowhere = SourceRange(at: 0)

func user(_ column: ColumnID, scope: Int = 0) -> BoundExpression {
  ChatFixture.column(.scope(scope, ChatFixture.user), column, of: ChatFixture.user)
}
func message(_ column: ColumnID, scope: Int = 0) -> BoundExpression {
  ChatFixture.column(.scope(scope, ChatFixture.message), column, of: ChatFixture.message)
}
func country(_ column: ColumnID, scope: Int = 0) -> BoundExpression {
  ChatFixture.column(.scope(scope, ChatFixture.country), column, of: ChatFixture.country)
}
/// `author.…` of a message.
func author(_ column: ColumnID) -> BoundExpression {
  ChatFixture.column(.toOne(.scope(0, ChatFixture.message), ChatFixture.author), column, of: ChatFixture.user)
}

extension ChatFixture {
  private static let shared = ChatFixture()
  static func column(_ reference: EntityReference, _ column: ColumnID, of type: EntityTypeID) -> BoundExpression {
    BoundExpression(.column(reference, column), shared.catalog[type][column].type, at: nowhere)
  }
}

func int(_ number: Int64) -> BoundExpression { BoundExpression(.constant(.int(number)), .int, at: nowhere) }
func text(_ string: String) -> BoundExpression {
  BoundExpression(.constant(.string(Text(string))), .string, at: nowhere)
}
func time(_ number: Int64) -> BoundExpression {
  BoundExpression(.constant(.dateTime(number)), .scalar(.dateTime), at: nowhere)
}
func id(_ string: String) -> BoundExpression {
  BoundExpression(.constant(.id(Text(string), isNumber: false)), .id, at: nowhere)
}
func status(_ code: Int) -> BoundExpression {
  BoundExpression(
    .constant(.enumeration(ChatFixture.status, code: code)), .enumeration(ChatFixture.status), at: nowhere)
}
func parameter(_ number: Int, _ type: ValueType) -> BoundExpression {
  BoundExpression(.parameter(number), type, at: nowhere)
}
func bool(_ kind: BoundExpression.Kind) -> BoundExpression { BoundExpression(kind, .boolean, at: nowhere) }
func compare(_ left: BoundExpression, _ comparison: ComparisonOperator, _ right: BoundExpression) -> BoundExpression {
  bool(.compare(comparison, left, right))
}
func all(_ parts: BoundExpression...) -> BoundExpression { bool(.and(parts)) }
func any(_ parts: BoundExpression...) -> BoundExpression { bool(.or(parts)) }
func not(_ part: BoundExpression) -> BoundExpression { bool(.not(part)) }

func collection(
  _ type: EntityTypeID, where predicate: BoundExpression? = nil, orderBy order: [BoundOrderTerm] = [],
  limit: BoundExpression? = nil, offset: BoundExpression? = nil, hint: AccessHint? = nil
) -> BoundSet {
  BoundSet(
    type: type, source: .all, predicate: predicate, order: order, limit: limit, offset: offset, hint: hint,
    range: nowhere)
}
/// `messages` of the user in scope 0.
func messages(where predicate: BoundExpression? = nil) -> BoundSet {
  BoundSet(
    type: ChatFixture.message, source: .relation(.scope(0, ChatFixture.user), ChatFixture.messages),
    predicate: predicate, range: nowhere)
}
func ascending(_ expression: BoundExpression) -> BoundOrderTerm { BoundOrderTerm(expression, isDescending: false) }
func descending(_ expression: BoundExpression) -> BoundOrderTerm { BoundOrderTerm(expression, isDescending: true) }

/// A query whose first set is the root list, with one field; the others belong to set calls in it.
func query(_ sets: BoundSet..., parameters: [BoundParameter] = []) -> BoundQuery {
  let root = sets[0]
  let idColumn = ChatFixture.column(.scope(0, root.type), ColumnID(0), of: root.type)
  return BoundQuery(
    name: nil, parameters: parameters, sets: sets,
    selections: [
      BoundSelection(
        set: SetID(0), shape: .object([BoundField(key: "id", content: .value(idColumn), range: nowhere)]))
    ],
    fields: [
      BoundField(
        key: ChatFixture().catalog[root.type].name, content: .many(SelectionID(0)), range: nowhere)
    ], catalogVersion: 0)
}
/// A query of one computed root field.
func computation(_ expression: BoundExpression, _ sets: BoundSet...) -> BoundQuery {
  BoundQuery(
    name: nil, sets: sets, fields: [BoundField(key: "n", content: .value(expression), range: nowhere)],
    catalogVersion: 0)
}
func declared(_ name: String, _ type: ValueType, isNonNull: Bool = true) -> BoundParameter {
  BoundParameter(
    name: name, signature: TypeSignature(type, isNonNull: isNonNull, isElementNonNull: isNonNull), defaultValue: nil,
    range: nowhere)
}

/// Plans and explains without figures.
func plan(
  _ query: BoundQuery, _ fixture: ChatFixture = ChatFixture(), parameters: [Value?]? = nil,
  options: PlannerOptions = .init()
) -> PhysicalPlan {
  optimize(
    query, catalog: fixture.catalog, statistics: fixture.statistics, parameters: parameters, options: options
  ).output
}
func explained(
  _ query: BoundQuery, _ fixture: ChatFixture = ChatFixture(), parameters: [Value?]? = nil,
  options: PlannerOptions = .init()
) -> String {
  let text = explain(
    plan(query, fixture, parameters: parameters, options: options), catalog: fixture.catalog,
    options: ExplainOptions(costs: false))
  return text.split(separator: "\n").filter { !$0.hasPrefix("dropped") }.joined(separator: "\n")
}
