import GQLCatalog

/// Names of types and fields for tables and columns.
enum SQLiteNames {
  /// Names that no type of a file may have.
  static let reservedTypes = EntityType.reservedNames.union(["Mutation", "Subscription"])

  /// `invoice_items` and `InvoiceItems` are `InvoiceItems`.
  static func type(_ table: String) -> String {
    let joined = pieces(table).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return begins(joined) ? joined : "T" + joined
  }

  /// `FirstName`, `first_name` and `firstName` are `firstName`; `URL` is `url`.
  static func field(_ column: String) -> String {
    var parts = pieces(column)
    guard let first = parts.first else { return "column" }
    parts[0] = first == first.uppercased() ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
    for index in parts.indices.dropFirst() {
      parts[index] = parts[index].prefix(1).uppercased() + parts[index].dropFirst()
    }
    let joined = parts.joined()
    return begins(joined) ? joined : "c" + joined
  }

  /// `SupportRepId` is `supportRep`: what a column that holds another row's id is called as a relation.
  static func relation(_ column: String) -> String {
    for ending in ["_id", "_ID", "_Id", "Id", "ID"] where column.hasSuffix(ending) && column.count > ending.count {
      return field(String(column.dropLast(ending.count)))
    }
    return field(column)
  }

  /// `Track` is `tracks`, `Country` is `countries`, `tracks` stays.
  static func many(_ table: String) -> String {
    let name = field(table)
    if SchemaInference.singular(name) != name { return name }
    if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
      return name.dropLast() + "ies"
    }
    for ending in ["s", "x", "ch", "sh"] where name.hasSuffix(ending) { return name + "es" }
    return name + "s"
  }

  /// Whether two names are the same but for case and underscores.
  static func areAlike(_ left: String, _ right: String) -> Bool { plain(left) == plain(right) }

  static func plain(_ name: String) -> String { name.lowercased().replacing("_", with: "") }

  private static func pieces(_ name: String) -> [String] {
    name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
  }

  private static func begins(_ name: String) -> Bool { name.first.map { $0.isASCII && $0.isLetter } ?? false }
}
