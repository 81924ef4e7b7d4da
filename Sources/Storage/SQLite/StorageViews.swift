import GQLCatalog

/// Views for people who open a file with SQLite, one for each type. They have the names of fields and enum values, times
/// as texts, and links as ids.
enum StorageViews {
  static func statements(_ layout: StorageLayout, _ catalog: Catalog) -> [String] {
    var taken: Set<String> = []
    return layout.kinds.compactMap { kind in
      // SQLite keeps names that begin so, and compares names without case.
      let name = kind.type.name.lowercased()
      guard kind.type.kind == .entity, !name.hasPrefix("sqlite_"), !name.hasPrefix("gqlite_"),
        taken.insert(name).inserted
      else { return nil }
      var columns: [String] = []
      var names: Set<String> = []
      for field in kind.fields
      where !field.column.name.hasPrefix("~") && names.insert(field.column.name.lowercased()).inserted {
        guard let expression = expression(field, layout, catalog) else { continue }
        columns.append("\(expression) AS \(quoted(field.column.name))")
      }
      if columns.isEmpty { return nil }
      return "CREATE VIEW \(quoted(kind.type.name)) AS SELECT \(columns.joined(separator: ", ")) "
        + "FROM \(kind.table) AS t WHERE t.status = 1"
    }
  }

  private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

  private static func expression(_ field: StorageLayout.Field, _ layout: StorageLayout, _ catalog: Catalog) -> String? {
    let name = "t.f\(field.number)"
    switch field.column.type {
    case .scalar(.dateTime):
      // The microseconds within a second, before 1970 too.
      let part = "((\(name) % 1000000 + 1000000) % 1000000)"
      // A time with a part below the microsecond is no number.
      return "CASE typeof(\(name)) WHEN 'integer' THEN "
        + "strftime('%Y-%m-%dT%H:%M:%S', (\(name) - \(part)) / 1000000, 'unixepoch')"
        + " || CASE \(part) WHEN 0 THEN '' ELSE printf('.%06d', \(part)) END || 'Z' END"
    case .scalar(.date): return "date(\(name) * 86400, 'unixepoch')"
    case .enumeration(let id):
      let cases = catalog[id].values.enumerated().map { "WHEN \($0) THEN '\($1)'" }
      return cases.isEmpty ? nil : "CASE \(name) \(cases.joined(separator: " ")) END"
    case .embedded, .null: return nil
    case .entity(let target): return link(name, layout.kinds[Int(target.index)], isList: false, catalog)
    case .list(.entity(let target)): return link(name, layout.kinds[Int(target.index)], isList: true, catalog)
    case .scalar, .list: return name
    }
  }

  /// The id that a link leads to, or the list of ids.
  private static func link(_ name: String, _ target: StorageLayout.Kind, isList: Bool, _ catalog: Catalog) -> String? {
    guard let primary = target.type.indexes.map({ catalog[$0] }).first(where: \.isPrimary), primary.columns.count == 1,
      let key = target.fields.first(where: { $0.column.id == primary.columns[0] })
    else { return nil }
    return isList
      ? "(SELECT json_group_array(k.f\(key.number)) FROM json_each(\(name)) AS j JOIN \(target.table) AS k ON k.row = j.value)"
      : "(SELECT k.f\(key.number) FROM \(target.table) AS k WHERE k.row = \(name))"
  }
}
