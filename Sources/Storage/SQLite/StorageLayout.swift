import CSQLite3
import GQLBase
import GQLCatalog
import GQLEngine

/// The tables of a file: which type and which field has which number. A number is never used again.
struct StorageLayout {
  struct Field {
    let number: Int64
    let column: ColumnDescriptor
    /// The number that the schema gives to the field.
    let given: Int64?
  }
  struct Kind {
    let number: Int64
    let type: EntityType
    /// The columns that are stored: all but those of folded texts, which follow from others.
    let fields: [Field]

    var table: String { "gqlite_t\(number)" }
  }
  /// In the order of the catalog.
  let kinds: [Kind]

  /// The numbers that the file has for its own schema.
  init(_ catalog: Catalog, _ connection: StorageConnection) throws(QueryError) {
    let names = catalog.types.map { (type: Optional($0.name), columns: $0.columns.map { Optional($0.name) }) }
    self.init(catalog, names, try KnownNumbers(connection))
  }

  /// The numbers for another schema than the file's: a type or field that is renamed keeps its own, a new one gets the
  /// next.
  ///
  /// - Throws: where a number that the schema gives belongs to something else in the file.
  init(changingTo catalog: Catalog, _ connection: StorageConnection) throws(QueryError) {
    var before = Catalog()
    if let schema = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'schema'"), !schema.isEmpty {
      before = try Database.catalog(of: [SourceText(name: connection.path, text: schema)]).catalog
    }
    let known = try KnownNumbers(connection)
    self.init(catalog, catalog.formerNames(in: before), known)
    try checkGivenNumbers(known, connection.path)
    let most = connection.mostColumns - Int(RowTable.head)
    if let wide = kinds.first(where: { $0.fields.count > most }) {
      throw StorageProblem.notStorable(
        "the type '\(wide.type.name)', which has \(wide.fields.count) columns where \(most) are the most,"
      ).error(connection.path)
    }
  }

  private init(
    _ catalog: Catalog, _ names: [(type: String?, columns: [String?])], _ known: KnownNumbers
  ) {
    var types = known.types
    let numbers = types.numbers(of: zip(catalog.types, names).map { ($0.name, $1.type) })
    var fields = known.fields
    var last = known.lastField
    kinds = catalog.types.enumerated().map { place, type in
      let stored = type.columns.enumerated().filter { $0.element.foldedFrom == nil }
      var own = fields[numbers[place]] ?? KnownNumbers.Names()
      own.last = last
      let found = own.numbers(of: stored.map { ($0.element.name, names[place].columns[$0.offset]) })
      last = own.last
      fields[numbers[place]] = own
      let given = type.givenNumbers
      return Kind(
        number: numbers[place], type: type,
        fields: zip(found, stored).map { Field(number: $0, column: $1.element, given: given[$1.element.name]) })
    }
  }

  /// Numbers that the schema gives are never given to anything else, even when what had them is gone.
  private func checkGivenNumbers(_ known: KnownNumbers, _ path: String) throws(QueryError) {
    func check(
      _ name: String, _ number: Int64, _ given: Int64?, _ others: KnownNumbers.Names?
    ) throws(QueryError) {
      guard let given, let others else { return }
      if let owner = others.given[given], owner != number {
        throw StorageProblem.numberTaken(name, given, by: others.name(of: owner)).error(path)
      }
      if let had = others.givenTo[number], had != given {
        throw StorageProblem.numberChanged(name, given, had).error(path)
      }
    }
    for kind in kinds {
      try check(kind.type.name, kind.number, kind.type.identity.number, known.types)
      for field in kind.fields {
        try check("\(kind.type.name).\(field.column.name)", field.number, field.given, known.fields[kind.number])
      }
    }
  }

  /// Writes the numbers into the file.
  func save(_ connection: StorageConnection) throws(QueryError) {
    // A name that another one takes over leaves its number behind, which nothing gets again.
    let retiredType = try connection.prepare(
      "UPDATE gqlite_type SET name = '-' || number || ' ' || name WHERE name = ? AND number != ?")
    let retiredField = try connection.prepare(
      "UPDATE gqlite_field SET name = '-' || number || ' ' || name WHERE name = ? AND number != ? AND type = ?")
    let type = try connection.prepare(
      """
      INSERT INTO gqlite_type(number, name, given) VALUES (?, ?, ?)
      ON CONFLICT(number) DO UPDATE SET name = excluded.name, given = coalesce(excluded.given, given)
      """)
    let field = try connection.prepare(
      """
      INSERT INTO gqlite_field(number, type, name, kind, given) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT(number) DO UPDATE
      SET name = excluded.name, kind = excluded.kind, given = coalesce(excluded.given, given)
      """)
    for kind in kinds {
      retiredType.bind(2, kind.number)
      try retiredType.run(binding: [(1, kind.type.name)])
      type.bind(1, kind.number)
      type.bind(3, optional: kind.type.identity.number)
      try type.run(binding: [(2, kind.type.name)])
      for found in kind.fields {
        retiredField.bind(2, found.number)
        retiredField.bind(3, kind.number)
        try retiredField.run(binding: [(1, found.column.name)])
        field.bind(1, found.number)
        field.bind(2, kind.number)
        field.bind(5, optional: found.given)
        try field.run(binding: [(3, found.column.name), (4, "\(found.column.kind)")])
      }
    }
  }
}

/// The numbers that a file has given so far.
struct KnownNumbers {
  /// The numbers of names: those of types, or those of the fields of one type.
  struct Names {
    private var numbers: [String: Int64] = [:]
    /// By the number that a schema gives: the file's own.
    private(set) var given: [Int64: Int64] = [:]
    /// By the file's own number: the one that a schema gives.
    private(set) var givenTo: [Int64: Int64] = [:]
    var last: Int64 = 0

    mutating func add(_ name: String, _ number: Int64, given: Int64?) {
      numbers[name] = number
      if let given {
        self.given[given] = number
        givenTo[number] = given
      }
      last = max(last, number)
    }

    /// The names, in the order of their numbers.
    var all: [(name: String, number: Int64)] {
      numbers.map { (name: $0.key, number: $0.value) }.sorted { $0.number < $1.number }
    }

    func number(of name: String) -> Int64? { numbers[name] }

    func name(of number: Int64) -> String { numbers.first { $0.value == number }?.key ?? "" }

    /// Returns a number for each name: that of the name before, else the one that the name had once, else a new one.
    mutating func numbers(of names: [(name: String, former: String?)]) -> [Int64] {
      var result = names.map { _, former in former.flatMap { numbers[$0] } }
      var taken: Set<Int64> = []
      for (place, number) in result.enumerated() {
        if let number, !taken.insert(number).inserted { result[place] = nil }
      }
      return zip(names, result).map { name, found in
        if let found { return found }
        if let found = numbers[name.name], taken.insert(found).inserted { return found }
        last += 1
        taken.insert(last)
        return last
      }
    }
  }
  private(set) var types = Names()
  /// By number of the type.
  private(set) var fields: [Int64: Names] = [:]
  private(set) var lastField: Int64 = 0

  init(_ connection: StorageConnection) throws(QueryError) {
    // Format 0 has no column for the numbers that a schema gives.
    func column(_ table: String) throws(QueryError) -> String {
      try connection.hasColumn("given", in: table) ? "given" : "NULL"
    }
    let known = try connection.prepare("SELECT number, name, \(try column("gqlite_type")) FROM gqlite_type")
    while try known.step() {
      try Self.check(known.integer(0), connection)
      types.add(known.string(1), known.integer(0), given: known.isNull(2) ? nil : known.integer(2))
    }
    let columns = try connection.prepare(
      "SELECT number, type, name, \(try column("gqlite_field")) FROM gqlite_field")
    while try columns.step() {
      try Self.check(columns.integer(0), connection)
      fields[columns.integer(1), default: Names()].add(
        columns.string(2), columns.integer(0), given: columns.isNull(3) ? nil : columns.integer(3))
      lastField = max(lastField, columns.integer(0))
    }
  }

  /// Refuses a number after which there would be no next one.
  private static func check(_ number: Int64, _ connection: StorageConnection) throws(QueryError) {
    guard number > 0, number < 1 << 32 else {
      throw StorageProblem.corrupt("a type or a field has the number \(number)").error(connection.path)
    }
  }
}

/// A file that copies another one, and what was given in that.
extension KnownNumbers {
  /// Indicates whether a schema has ever given a number.
  var hasGiven: Bool { !types.given.isEmpty || fields.values.contains { !$0.given.isEmpty } }

  /// Notes in a copy of the file the numbers that a schema has given to what is gone, so that nothing else gets them.
  func note(inCopy connection: StorageConnection) throws(QueryError) {
    var copied = try KnownNumbers(connection)
    for (name, number) in types.all {
      let own = fields[number] ?? Names()
      let given = types.givenTo[number]
      guard given != nil || !own.given.isEmpty else { continue }
      let type = try copied.types.note(
        name, given, as: copied.types.last + 1, "gqlite_type(number, name, given) VALUES (?, ?, ?)", connection)
      for (field, place) in own.all {
        guard let given = own.givenTo[place] else { continue }
        copied.lastField = max(
          copied.lastField,
          try copied.fields[type, default: Names()].note(
            field, given, as: copied.lastField + 1,
            "gqlite_field(number, name, given, type) VALUES (?, ?, ?, \(type))", connection))
      }
    }
  }
}

extension KnownNumbers.Names {
  /// Notes what a name was given. It gets the next number where the file knows neither the one nor the other; the
  /// name stays another's that has it.
  fileprivate mutating func note(
    _ name: String, _ given: Int64?, as next: Int64, _ row: String, _ connection: StorageConnection
  ) throws(QueryError) -> Int64 {
    if let given, let known = self.given[given] { return known }
    let found = number(of: name)
    if let found, given == nil { return found }
    let table = row.prefix { $0 != "(" }
    if let found, givenTo[found] == nil {
      let update = try connection.prepare("UPDATE \(table) SET given = ? WHERE number = \(found)")
      update.bind(1, optional: given)
      try update.run()
      add(name, found, given: given)
      return found
    }
    // A name that was left behind begins with the number that it had.
    let isLeft = name.hasPrefix("-")
    let plain = isLeft ? name.drop { $0 != " " }.dropFirst() : name[...]
    let kept = isLeft || found != nil ? "-\(next) \(plain)" : name
    let insertion = try connection.prepare("INSERT INTO \(row)")
    insertion.bind(1, next)
    insertion.bind(3, optional: given)
    try insertion.run(binding: [(2, kept)])
    add(kept, next, given: given)
    return next
  }
}

extension EntityType {
  /// The numbers that the schema gives to fields, by the names of their columns; of an object's columns to the first.
  fileprivate var givenNumbers: [String: Int64] {
    var numbers: [String: Int64] = [:]
    for property in properties { numbers[property.name] = property.identity.number }
    return numbers
  }
}

extension StorageStatement {
  func isNull(_ number: Int32) -> Bool { type(number) == SQLITE_NULL }

  func bind(_ number: Int32, optional value: Int64?) {
    if let value { bind(number, value) } else { bindNull(number) }
  }

  /// Runs with some texts bound.
  func run(binding texts: [(number: Int32, text: String)]) throws(QueryError) {
    var arrays: [ContiguousArray<UInt8>] = []
    for (_, text) in texts { arrays.append(ContiguousArray(text.utf8)) }
    // Kept until the statement has run.
    let buffers = arrays.map { array -> UnsafeMutableRawBufferPointer in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(array.count, 1), alignment: 1)
      buffer.copyBytes(from: array)
      return buffer
    }
    defer { for buffer in buffers { buffer.deallocate() } }
    for (index, (number, _)) in texts.enumerated() {
      bind(number, text: UnsafeRawBufferPointer(rebasing: buffers[index][..<arrays[index].count]))
    }
    try run()
  }
}
