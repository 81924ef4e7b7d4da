import GQLBase

/// The tables of a file as types: a to-one relation for each foreign key, a to-many one for each junction table, and
/// their other sides.
struct SQLiteSchema {
  /// What the values of a field are, narrowest first where the data decides.
  enum Kind: Equatable {
    case id, boolean, int, decimal, float, date, dateTime, uuid, string, bytes, json
    /// The id of a row of a type.
    case reference(Int)
    /// The ids on the other side of a junction table; its number.
    case junction(Int)
    /// The other side of a foreign key: nothing is read for it.
    case inverse(Int)
  }
  struct Field {
    var name: String
    /// The names of its columns, with `/` between; nil where it is of none.
    var source: String?
    var kind: Kind
    /// The columns that it is read from; several are the parts of one key.
    var columns: [Int] = []
    var isNonNull = false
    /// Values of a foreign key beside its relation: what a given schema has no field for is left out.
    var isOptional = false
    /// The name of the field on the other side.
    var inverse: String?
    var isUnique = false
    var isIndexed = false
    var cascades = false
  }
  struct EntityTable {
    var table: SQLiteTable
    var name: String
    /// The name of the table, or `file/table` where another file has one of the name.
    var source: String
    /// The columns whose values, joined by `/`, are the id; empty for the number of the row.
    var key: [Int]
    var fields: [Field]
    /// Fields of an index over several.
    var indexes: [(fields: [String], isUnique: Bool)] = []
  }
  struct Junction {
    var table: String
    /// The columns of this side and of the other.
    var source: String
    var target: String
    var targetType: Int
    var rowIDName: String?
    /// The type of this side, and its field.
    var sourceType: Int
    var field: Int
  }

  /// Indicates whether a schema says what the values are, so that nobody looks at them.
  private let isGiven: Bool
  private(set) var types: [EntityTable] = []
  /// By type: what its columns hold, where that was looked at.
  private var profiles: [SQLiteTableProfile?] = []
  /// By type: the names of its fields.
  private var fieldNames: [UniqueNames] = []
  private(set) var junctions: [Junction] = []
  /// By type: the numbers of the junctions that lead to it.
  private(set) var junctionsTo: [[Int]] = []

  /// Reads what a file declares, and looks at its data for what types leave open.
  ///
  /// - Parameters:
  ///   - isGiven: Whether a schema says what the values are.
  ///   - names: The names that are taken by files before.
  init(
    _ connection: SQLiteConnection, path: String, isGiven: Bool, _ names: inout TableNames
  ) throws(SQLiteConnection.Failure) {
    self.isGiven = isGiven
    let tables = try SQLiteTable.all(in: connection)
    var places: [String: Int] = [:]
    for table in tables where !table.isJunction {
      let (name, source) = names.take(table.name, of: path)
      places[table.name.lowercased()] = types.count
      types.append(EntityTable(table: table, name: name, source: source, key: table.key, fields: []))
    }
    // All ids first, since any table may be another's target.
    for index in types.indices {
      let table = types[index].table
      let source = table.key.isEmpty ? table.rowIDName ?? "row_number" : Self.source(table, table.key)
      types[index].fields.append(Field(name: "id", source: source, kind: .id, isNonNull: true))
    }
    fieldNames = Array(repeating: UniqueNames(["id"]), count: types.count)
    junctionsTo = Array(repeating: [], count: types.count)
    for type in types { profiles.append(isGiven ? nil : try SQLiteTableProfile(type.table, connection)) }
    for index in types.indices { try addFields(index, places, connection) }
    profiles = []
    for table in tables where table.isJunction { addJunction(table, places) }
    for index in types.indices { addIndexes(index) }
  }

  private static func source(_ table: SQLiteTable, _ columns: [Int]) -> String {
    columns.map { table.columns[$0].name }.joined(separator: "/")
  }

  private mutating func addFields(
    _ index: Int, _ places: [String: Int], _ connection: SQLiteConnection
  ) throws(SQLiteConnection.Failure) {
    let table = types[index].table
    var isTaken = Set(types[index].key.count == 1 ? types[index].key : [])
    var relations: [(key: SQLiteTable.ForeignKey, target: Int)] = []
    for key in table.foreignKeys {
      guard let target = places[key.table.lowercased()], !key.columns.isEmpty else { continue }
      // A key that refers to other columns than the primary key is a value only.
      let names = types[target].key.map { types[target].table.columns[$0].name.lowercased() }
      let wanted = key.targets.map { $0.lowercased() }
      guard !names.isEmpty, wanted.isEmpty || wanted == names, key.columns.count == names.count else { continue }
      relations.append((key, target))
      if key.columns.count == 1 { isTaken.insert(key.columns[0]) }
    }
    for place in table.columns.indices {
      if let relation = relations.first(where: { $0.key.columns == [place] }) {
        let other = types[relation.target]
        let isDangling =
          isGiven
          ? true : try SQLiteTableProfile.hasDangling(table, place, other.table, other.key[0], connection)
        // SQLite need not enforce foreign keys: values that lead nowhere stay readable, as they are in other files.
        if isDangling, isTaken.contains(place), table.columns[place].keyPlace == 0 {
          addValues(index, place, ofKey: true)
        }
        addRelation(
          index, relation.key, relation.target, SourceNames.relation(table.columns[place].name),
          isDangling: isDangling)
      }
      if !isTaken.contains(place) { addValues(index, place) }
    }
    for relation in relations where relation.key.columns.count > 1 {
      addRelation(index, relation.key, relation.target, SourceNames.relation(relation.key.table))
    }
  }

  /// Adds the field for the values of a column; those of a key are written as its ids are.
  private mutating func addValues(_ index: Int, _ place: Int, ofKey isKey: Bool = false) {
    let table = types[index].table
    var kind = profiles[index]?.kind(place) ?? SQLiteTableProfile.affinity(table.columns[place].declaredType)
    if isKey, [.boolean, .decimal, .float, .json].contains(kind) { kind = .string }
    let column = table.columns[place].name
    var name = SourceNames.field(column)
    if isKey, name == SourceNames.relation(column) { name = SourceNames.field(column + "_id") }
    name = fieldNames[index].take(name)
    types[index].fields.append(
      Field(
        name: name, source: column, kind: kind, columns: [place], isNonNull: hasNoNull(index, place),
        isOptional: isGiven && isKey))
  }

  /// Returns whether a column is declared to have a value and has one in every row.
  private func hasNoNull(_ index: Int, _ place: Int) -> Bool {
    let column = types[index].table.columns[place]
    return (column.isNotNull || column.keyPlace > 0) && profiles[index]?.hasNoNull(place) ?? false
  }

  private mutating func addRelation(
    _ index: Int, _ key: SQLiteTable.ForeignKey, _ target: Int, _ wanted: String, isDangling: Bool = false
  ) {
    let table = types[index].table
    let name = fieldNames[index].take(wanted == "id" ? SourceNames.relation(key.table) : wanted)
    let isNonNull = !isDangling && key.columns.allSatisfy { hasNoNull(index, $0) }
    var other = SourceNames.many(table.name)
    if fieldNames[target].contains(other) {
      other += "By" + name.prefix(1).uppercased() + name.dropFirst()
    }
    let inverse = fieldNames[target].take(other)
    types[index].fields.append(
      Field(
        name: name, source: Self.source(table, key.columns), kind: .reference(target), columns: key.columns,
        isNonNull: isNonNull, inverse: inverse))
    types[target].fields.append(
      Field(
        name: inverse, kind: .inverse(index), isNonNull: true, inverse: name, cascades: key.onDelete == "CASCADE"))
  }

  private mutating func addJunction(_ table: SQLiteTable, _ places: [String: Int]) {
    let keys = table.foreignKeys.sorted { $0.columns[0] < $1.columns[0] }
    guard let source = places[keys[0].table.lowercased()], let target = places[keys[1].table.lowercased()] else {
      return
    }
    let plain = SourceNames.many(types[target].table.name)
    let name = fieldNames[source].take(fieldNames[source].contains(plain) ? SourceNames.many(table.name) : plain)
    let back = SourceNames.many(types[source].table.name)
    let field = types[source].fields.count
    types[source].fields.append(
      Field(name: name, kind: .junction(junctions.count), isNonNull: true))
    let inverse = fieldNames[target].take(fieldNames[target].contains(back) ? SourceNames.many(table.name) : back)
    types[source].fields[field].inverse = inverse
    types[target].fields.append(Field(name: inverse, kind: .inverse(source), isNonNull: true, inverse: name))
    junctionsTo[target].append(junctions.count)
    junctions.append(
      Junction(
        table: table.name, source: table.columns[keys[0].columns[0]].name,
        target: table.columns[keys[1].columns[0]].name, targetType: target, rowIDName: table.rowIDName,
        sourceType: source,
        field: field))
  }

  private mutating func addIndexes(_ index: Int) {
    for declared in types[index].table.indexes {
      let fields = declared.columns.compactMap { column in
        types[index].fields.firstIndex { $0.columns == [column] && $0.kind.isStored }
      }
      guard fields.count == declared.columns.count else { continue }
      if fields.count == 1 {
        if declared.isUnique {
          types[index].fields[fields[0]].isUnique = true
        } else {
          types[index].fields[fields[0]].isIndexed = true
        }
      } else {
        types[index].indexes.append((fields.map { types[index].fields[$0].name }, declared.isUnique))
      }
    }
  }

  // MARK: - Rows without a key

  /// Returns what stands before the number of a row for a part of its key that is null: no value of the key begins so
  /// and goes on with such a number, nor does one of a column that refers to the key.
  func nullMark(_ index: Int, _ connection: SQLiteConnection) throws(SQLiteConnection.Failure) -> String {
    let table = types[index].table
    guard let number = table.rowIDName else { return "#" }
    var places: [(table: String, column: String, nulls: String)] = []
    for (place, column) in types[index].key.enumerated() where !table.columns[column].isNotNull {
      let name = SQLiteConnection.quoted(table.columns[column].name)
      let nulls = "FROM \(SQLiteConnection.quoted(table.name)) WHERE \(name) IS NULL"
      guard try connection.statement("SELECT 1 \(nulls) LIMIT 1").next() else { continue }
      for (other, referring) in columns(referringTo: index, place) + [(table.name, table.columns[column].name)] {
        places.append((SQLiteConnection.quoted(other), SQLiteConnection.quoted(referring), nulls))
      }
    }
    var mark = "#"
    var isFree = false
    while !isFree {
      isFree = true
      for place in places {
        let marked = "SELECT '\(mark)' || \(number) \(place.nulls)"
        let rows = try connection.statement(
          "SELECT 1 FROM \(place.table) AS s WHERE s.\(place.column) IN (\(marked)) LIMIT 1")
        guard try rows.next() else { continue }
        mark += "#"
        isFree = false
      }
    }
    return mark
  }

  /// Returns the columns that refer to a part of a type's key.
  private func columns(referringTo target: Int, _ part: Int) -> [(table: String, column: String)] {
    var found: [(table: String, column: String)] = []
    for type in types {
      for field in type.fields where field.kind == .reference(target) {
        found.append((type.table.name, type.table.columns[field.columns[part]].name))
      }
    }
    for junction in junctions {
      if junction.targetType == target { found.append((junction.table, junction.target)) }
      if junction.sourceType == target { found.append((junction.table, junction.source)) }
    }
    return found
  }

  // MARK: - As a schema

  /// A type as a draft of a schema.
  func draft(_ index: Int) -> SchemaDraft.TypeDraft {
    let type = types[index]
    var draft = SchemaDraft.TypeDraft(name: type.name, source: type.source, indexes: type.indexes)
    draft.key = type.key.isEmpty ? nil : type.fields.first { $0.kind == .id }?.source
    draft.fields = type.fields.map { field in
      SchemaDraft.Field(
        name: field.name, type: written(field), source: field.source,
        isRowNumber: field.kind == .id && type.key.isEmpty, inverse: field.inverse, isInverse: field.isInverse,
        cascades: field.cascades, isUnique: field.isUnique, isIndexed: field.isIndexed)
    }
    return draft
  }

  private func written(_ field: Field) -> String {
    let mark = field.isNonNull ? "!" : ""
    switch field.kind {
    case .id: return "ID!"
    case .boolean: return "Boolean" + mark
    case .int: return "Int" + mark
    case .decimal: return "Decimal" + mark
    case .float: return "Float" + mark
    case .date: return "Date" + mark
    case .dateTime: return "DateTime" + mark
    case .uuid: return "UUID" + mark
    case .string: return "String" + mark
    case .bytes: return "Bytes" + mark
    case .json: return "JSON" + mark
    case .reference(let target): return types[target].name + mark
    case .inverse(let target): return "[\(types[target].name)!]!"
    case .junction(let number): return "[\(types[junctions[number].targetType].name)!]!"
    }
  }
}

extension SQLiteSchema.Field {
  fileprivate var isInverse: Bool {
    if case .inverse = kind { true } else { false }
  }
}

extension SQLiteSchema.Kind {
  var isReference: Bool {
    if case .reference = self { true } else { false }
  }

  /// Whether an index may be over it.
  var isStored: Bool {
    switch self {
    case .id, .reference, .junction, .inverse, .json: false
    default: true
    }
  }
}

/// The names of types and tables over the SQLite files of one load.
struct TableNames {
  private var types = UniqueNames(SourceNames.reservedTypes)
  private var sources: Set<String> = []

  mutating func take(_ table: String, of path: String) -> (type: String, source: String) {
    let isNew = sources.insert(table).inserted
    return (types.take(SourceNames.type(table)), isNew ? table : Self.source(table, of: path))
  }

  /// Returns the name of a table with that of its file.
  static func source(_ table: String, of path: String) -> String {
    "\(path.split(separator: "/").last ?? "")/\(table)"
  }
}
