import CSQLite3

/// The data of a model in SQLite, which answers what ``SQLTranslation`` can say.
final class SQLiteOracle {
  private let model: Model
  private var handle: OpaquePointer?

  init?(_ model: Model) {
    self.model = model
    guard sqlite3_open(":memory:", &handle) == SQLITE_OK else { return nil }
    for shape in model.entities { guard create(shape) else { return nil } }
  }

  deinit { sqlite3_close(handle) }

  private func execute(_ sql: String) -> Bool { sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK }

  /// Rows are numbered in the order of their insertion.
  private func create(_ shape: Shape) -> Bool {
    let fields = shape.fields.filter { SQLTranslation.isStored($0) || $0.name == "id" }
    let ones = shape.relations.filter { !$0.isMany && model.shape($0.target)?.role == .entity }
    let columns = (fields.map(\.name) + ones.map(\.name)).map { ", \"\($0)\"" }.joined()
    var script = "BEGIN; CREATE TABLE \"\(shape.name)\" (row INTEGER PRIMARY KEY\(columns));"
    for (row, values) in (model.rows[shape.name] ?? []).enumerated()
    where !model.isDeleted(.entity(shape.name, row)) {
      var cells = fields.map { Self.cell(values[$0.name] ?? .null) }
      for relation in ones {
        if case .entity(_, let target)? = live(shape.name, relation, row).first {
          cells.append("\(target)")
        } else {
          cells.append("NULL")
        }
      }
      script += "INSERT INTO \"\(shape.name)\" VALUES (\(row)\(cells.map { ", \($0)" }.joined()));"
    }
    for relation in shape.relations where relation.isMany && model.shape(relation.target)?.role == .entity {
      let table = "\"\(shape.name).\(relation.name)\""
      script += "CREATE TABLE \(table) (source, target);"
      for row in (model.rows[shape.name] ?? []).indices {
        for case .entity(_, let target) in live(shape.name, relation, row) {
          script += "INSERT INTO \(table) VALUES (\(row), \(target));"
        }
      }
    }
    return execute(script + "COMMIT;")
  }

  private func live(_ type: String, _ relation: RelationShape, _ row: Int) -> [Datum] {
    let source = Datum.entity(type, row)
    return model.isDeleted(source) ? [] : model.written(source, relation.name).filter { !model.isDeleted($0) }
  }

  private static func cell(_ datum: Datum) -> String {
    switch datum {
    case .bool(let flag): flag ? "1" : "0"
    case .int(let number): "\(number)"
    case .float(let number): "\(number)"
    case .symbol(let place, _): "\(place)"
    case .text(let text): "'\(text.replacing("'", with: "''"))'"
    // An id is printed as it was loaded.
    case .id(let text, let isNumber): isNumber ? text : "'\(text)'"
    default: "NULL"
    }
  }

  /// The answer to a query of one list or one computation; nil if SQL cannot say it.
  func answer(_ query: Node) -> String? {
    var translation = SQLTranslation(model)
    guard query.children.count == 1, let root = query.children.first else { return nil }
    if case .computed(let name, _) = root.form, let argument = root.children.first,
      let value = try? translation.value(argument)
    {
      return rows("SELECT \(value.sql)", [(name, value.kind)])?.first
    }
    guard case .field(let name, let alias) = root.form, let statement = try? translation.statement(root),
      let rows = rows(statement.sql, statement.columns)
    else { return nil }
    return "{\"\(alias ?? name)\":[\(rows.joined(separator: ","))]}"
  }

  /// Each row as an object.
  private func rows(_ sql: String, _ columns: [(name: String, kind: Kind)]) -> [String]? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return ["not SQL: \(sql)"] }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      let members = columns.enumerated().map { place, column in
        "\"\(column.name)\":\(datum(statement, Int32(place), column.kind).json)"
      }
      rows.append("{\(members.joined(separator: ","))}")
    }
    return rows
  }

  private func datum(_ statement: OpaquePointer?, _ place: Int32, _ kind: Kind) -> Datum {
    switch sqlite3_column_type(statement, place) {
    case SQLITE_INTEGER:
      let number = Int(sqlite3_column_int64(statement, place))
      if kind == .bool { return .bool(number != 0) }
      if kind == .symbol, Model.colours.indices.contains(number) { return .symbol(number, Model.colours[number]) }
      return .int(number)
    case SQLITE_FLOAT: return .float(sqlite3_column_double(statement, place))
    case SQLITE_TEXT: return .text(sqlite3_column_text(statement, place).map { String(cString: $0) } ?? "")
    default: return .null
    }
  }
}
