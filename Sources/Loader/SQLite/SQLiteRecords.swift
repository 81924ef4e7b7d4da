import GQLBase
import GQLCatalog

/// The tables of a SQLite file as tables of records for the loader.
struct SQLiteRecords {
  private let connection: SQLiteConnection
  private let schema: SQLiteSchema
  /// The schema that the records are for; nil where the file's own is taken.
  private let catalog: Catalog?
  private let types: SourceTypes?
  private let path: String

  init(_ connection: SQLiteConnection, _ schema: SQLiteSchema, for catalog: Catalog?, path: String) {
    self.path = path
    self.connection = connection
    self.schema = schema
    self.catalog = catalog
    types = catalog.map { SourceTypes($0) }
  }

  /// Returns a table of records for each table that the schema has a type for; empty tables too.
  func files() throws(SQLiteConnection.Failure) -> [LoadFile] {
    var files: [LoadFile] = []
    let counts = try schema.types.map { (type) throws(SQLiteConnection.Failure) in try rowCount(type.table) }
    let all = max(1, counts.reduce(0, +))
    for (index, type) in schema.types.enumerated() {
      guard let name = typeName(type) else { continue }
      let size = Int(Double(connection.size) * Double(counts[index]) / Double(all))
      let file = MappedFile(rowsNamed: "\(path)/\(type.table.name)", size: size)
      let source = try source(index, rowCount: counts[index])
      var opened = LoadFile(file: file, layout: .rows(source), typeName: name)
      if catalog == nil { opened.table = schema.draft(index) } else { opened.type = entityType(type) }
      files.append(opened)
    }
    return files
  }

  private func rowCount(_ table: SQLiteTable) throws(SQLiteConnection.Failure) -> Int {
    let rows = try connection.statement("SELECT count(*) FROM \(SQLiteConnection.quoted(table.name))")
    return try rows.next() ? Int(rows.integer(0)) : 0
  }

  /// The name of the type for a table: the same but for case, underscores, or the plural.
  private func typeName(_ type: SQLiteSchema.EntityTable) -> String? {
    guard let catalog else { return type.source }
    return entityType(type).map { catalog[$0].name }
  }

  private func entity(_ index: Int) -> EntityType? {
    guard let catalog, let type = entityType(schema.types[index]) else { return nil }
    return catalog[type]
  }

  private func entityType(_ type: SQLiteSchema.EntityTable) -> EntityTypeID? {
    types?.type(ofSource: TableNames.source(type.table.name, of: path)) ?? types?.type(named: type.table.name)
  }

  // MARK: - One table

  private func source(_ index: Int, rowCount: Int) throws(SQLiteConnection.Failure) -> SQLiteTableSource {
    let type = schema.types[index]
    let table = type.table
    var columns: [String] = []
    var outputs: [SQLiteTableSource.Output] = []
    var links: [SQLiteTableSource.Links] = []
    // Where even the number of a row has no name, rows are counted.
    let mark = try schema.nullMark(index, connection)
    let entity = entity(index)
    let undeclared = type.key.isEmpty ? undeclaredKey(table, entity) : []
    var key = type.key.map { Self.key(table, $0, mark) }
    if !undeclared.isEmpty { key = undeclared.map { SQLiteConnection.quoted(table.columns[$0.column].name) } }
    if key.isEmpty { key = [table.rowIDName ?? "row_number() OVER ()"] }
    columns += key
    for field in type.fields {
      switch field.kind {
      case .id where !undeclared.isEmpty:
        for (place, part) in undeclared.enumerated() {
          outputs.append(
            SQLiteTableSource.Output(
              name: part.property.source ?? part.property.name, kind: Self.kind(part.property), first: place, count: 1))
        }
      case .id:
        outputs.append(SQLiteTableSource.Output(name: idName(field, entity), kind: .id, first: 0, count: key.count))
      case .inverse: break
      case let kind where !kind.isReference && undeclared.contains { [$0.column] == field.columns }: break
      case .junction(let number):
        let junction = schema.junctions[number]
        guard entity == nil || property(field.name, of: entity) != nil || !isWrittenFromTheOtherSide(index, field)
        else { break }
        links.append(
          try self.links(property(field.name, of: entity)?.name ?? field.name, junction, isReversed: false))
      default:
        guard let (name, kind) = target(field, table, entity) else { break }
        outputs.append(
          SQLiteTableSource.Output(name: name, kind: kind, first: columns.count, count: field.columns.count))
        columns += field.columns.map { SQLiteConnection.quoted(table.columns[$0].name) }
      }
    }
    // A column of a key that refers to another table is read into both fields.
    var written: Set<String> = []
    outputs.removeAll { !written.insert($0.name).inserted }
    links += try reversedLinks(index, entity)
    links += try linksToAbsent(index, entity)
    let order =
      table.hasRowID
      ? table.rowIDName.map { " ORDER BY \($0)" } ?? " NOT INDEXED" : " ORDER BY " + key.joined(separator: ", ")
    return SQLiteTableSource(
      connection, columns: columns, from: "FROM \(SQLiteConnection.quoted(table.name))\(order)", outputs: outputs,
      keyCount: key.count, links: links, rowCount: rowCount)
  }

  /// The fields of this table that hold the other ends of junction tables whose first side the schema does not name.
  private func reversedLinks(
    _ index: Int, _ entity: EntityType?
  ) throws(SQLiteConnection.Failure) -> [SQLiteTableSource.Links] {
    guard let entity else { return [] }
    var result: [SQLiteTableSource.Links] = []
    for number in schema.junctionsTo[index] {
      let junction = schema.junctions[number]
      let field = schema.types[junction.sourceType].fields[junction.field]
      let source = self.entity(junction.sourceType)
      guard source == nil || property(field.name, of: source) == nil, let inverse = field.inverse,
        let property = property(inverse, of: entity)
      else { continue }
      result.append(try links(property.name, junction, isReversed: true))
    }
    return result
  }

  /// Rows of junction tables whose first side is not there: written from the second side, they are links that the
  /// loader finds dangling, and tells.
  private func linksToAbsent(
    _ index: Int, _ entity: EntityType?
  ) throws(SQLiteConnection.Failure) -> [SQLiteTableSource.Links] {
    var result: [SQLiteTableSource.Links] = []
    for number in schema.junctionsTo[index] {
      let junction = schema.junctions[number]
      let type = schema.types[junction.sourceType]
      let field = type.fields[junction.field]
      guard let inverse = field.inverse, let key = type.key.first, type.key.count == 1,
        entity == nil || self.entity(junction.sourceType).map({ property(field.name, of: $0) != nil }) ?? false,
        let name = entity == nil ? inverse : property(inverse, of: entity)?.name
      else { continue }
      let absent =
        " AND NOT EXISTS (SELECT 1 FROM \(SQLiteConnection.quoted(type.table.name)) AS s"
        + " WHERE s.\(SQLiteConnection.quoted(type.table.columns[key].name)) = j.\(SQLiteConnection.quoted(junction.source)))"
      let found = try links(name, junction, isReversed: true, where: absent)
      if try connection.statement("SELECT 1 \(found.rest) LIMIT 1").next() { result.append(found) }
    }
    return result
  }

  private func isWrittenFromTheOtherSide(_ index: Int, _ field: SQLiteSchema.Field) -> Bool {
    guard case .junction(let number) = field.kind, let inverse = field.inverse else { return false }
    return property(inverse, of: entity(schema.junctions[number].targetType)) != nil
  }

  /// Returns the pairs of a junction table as links of one of its sides.
  private func links(
    _ name: String, _ junction: SQLiteSchema.Junction, isReversed: Bool, where condition: String = ""
  ) throws(SQLiteConnection.Failure) -> SQLiteTableSource.Links {
    let (first, second) = (SQLiteConnection.quoted(junction.source), SQLiteConnection.quoted(junction.target))
    return SQLiteTableSource.Links(
      name: name, source: isReversed ? second : first, target: isReversed ? first : second,
      rest: "FROM \(SQLiteConnection.quoted(junction.table)) AS j"
        + " WHERE \(first) IS NOT NULL AND \(second) IS NOT NULL\(condition)",
      order: junction.rowIDName.map { " ORDER BY \($0)" } ?? "")
  }

  // MARK: - The schema's side

  /// Returns the name by which the loader finds a field: that of its column, where a schema does not say another.
  private func idName(_ field: SQLiteSchema.Field, _ entity: EntityType?) -> String {
    guard let entity, let property = entity.idProperties.first else { return field.source ?? field.name }
    return entity[property].source ?? entity[property].name
  }

  /// Returns the columns that a schema takes as the key of a table that declares none; empty where a part has none, so
  /// that the rows are numbered.
  private func undeclaredKey(_ table: SQLiteTable, _ entity: EntityType?) -> [(property: Property, column: Int)] {
    guard let entity else { return [] }
    var parts: [(property: Property, column: Int)] = []
    for id in entity.idProperties {
      let property = entity[id]
      let name = property.source ?? property.name
      let column =
        table.columns.firstIndex { $0.name == name }
        ?? (property.source == nil ? table.columns.firstIndex { SourceNames.areAlike($0.name, name) } : nil)
      guard let column else { return [] }
      parts.append((property, column))
    }
    return parts
  }

  /// Returns the expression for one part of a key: a null is a mark with the number of its row, which no other row has.
  private static func key(_ table: SQLiteTable, _ column: Int, _ mark: String) -> String {
    let name = SQLiteConnection.quoted(table.columns[column].name)
    guard let number = table.rowIDName, !table.columns[column].isNotNull else { return name }
    return "COALESCE(\(name), '\(mark)' || \(number))"
  }

  private func property(_ name: String, of entity: EntityType?) -> Property? {
    entity?.properties.first { SourceNames.areAlike($0.name, name) }
  }

  /// Returns the name of a field and how its values are written: as the schema has them.
  private func target(
    _ field: SQLiteSchema.Field, _ table: SQLiteTable, _ entity: EntityType?
  ) -> (String, SQLiteSchema.Kind)? {
    guard let entity else { return (field.source ?? field.name, field.kind) }
    var found = entity.properties.first { $0.source != nil && $0.source == field.source }
    if found == nil { found = property(field.name, of: entity) }
    if found == nil, field.columns.count == 1 { found = property(table.columns[field.columns[0]].name, of: entity) }
    // Values of a foreign key beside the relation are read where the schema has a field for them.
    guard let found else { return field.isOptional ? nil : (field.name, field.kind) }
    let name = found.source ?? found.name
    if case .entity = found.signature.type { return (name, field.kind) }
    return (name, Self.kind(found))
  }

  /// Returns how values of a field are written; links are ids.
  private static func kind(_ property: Property) -> SQLiteSchema.Kind {
    switch property.signature.type {
    case .scalar(let scalar): kind(scalar)
    case .entity: .id
    case .list, .embedded: .json
    case .enumeration, .null: .string
    }
  }

  static func kind(_ scalar: ScalarType) -> SQLiteSchema.Kind {
    switch scalar {
    case .int: .int
    case .float: .float
    case .decimal: .decimal
    case .boolean: .boolean
    case .id: .id
    case .dateTime: .dateTime
    case .date: .date
    case .json: .json
    case .bytes: .bytes
    case .uuid: .uuid
    case .string, .cursor, .duration: .string
    }
  }
}
