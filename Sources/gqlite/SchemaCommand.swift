import GQLite

/// `gqlite schema`, `gqlite schema --api`, `gqlite schema --introspection`, `gqlite schema --to NEW`
enum SchemaCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let target = try arguments.value("to")
    let allowsLoss = arguments.flag("allow-loss")
    let isApplied = arguments.flag("apply")
    let form = try Form(&arguments)
    if target != nil, form != .storage {
      throw UsageError("--to is for the schema, not for its API", help: "try 'gqlite schema --help'")
    }
    var session = try Session(&arguments, reads: !isApplied)
    // A document may carry the schema, or name the data.
    let documents =
      arguments.operands.isEmpty ? [] : try session.documents(&arguments, command: "schema")
    try arguments.finish("schema")
    guard session.databasePath != nil || session.schemaPath != nil || !session.data.isEmpty || !documents.isEmpty else {
      throw UsageError("no schema: give --schema F, or name a file of data", help: "try 'gqlite schema --help'")
    }
    if allowsLoss && target == nil {
      throw UsageError("--allow-loss is for --to NEW", help: "try 'gqlite schema --help'")
    }
    if isApplied, target == nil || session.databasePath == nil {
      throw UsageError("--apply is for --db FILE --to NEW", help: "try 'gqlite schema --help'")
    }
    if let target {
      guard documents.count < 2 else { throw UsageError("--to is for the data of one document") }
      return try change(&session, documents.first, to: target, allowsLoss: allowsLoss, isApplied: isApplied)
    }
    if documents.isEmpty {
      try form.write(session.database(for: nil, directory: nil))
    }
    for (name, bytes) in documents {
      let document = try QueryDocument(name: name, bytes: bytes, dialect: session.dialect, limits: session.limits)
      try form.write(session.database(for: document, directory: Session.directory(of: name)))
    }
    return Process.success
  }

  /// Which schema is printed.
  private enum Form {
    /// What the data is stored by.
    case storage
    /// What GraphQL clients see, as SDL.
    case api
    /// What GraphQL clients see, as the answer to their introspection query.
    case introspection

    init(_ arguments: inout Arguments) throws(UsageError) {
      let isAPI = arguments.flag("api")
      let isIntrospection = arguments.flag("introspection")
      if isAPI, isIntrospection {
        throw UsageError("--api and --introspection are two forms: give one", help: "try 'gqlite schema --help'")
      }
      self = isAPI ? .api : isIntrospection ? .introspection : .storage
    }

    func write(_ database: Database) throws(QueryError) {
      switch self {
      case .storage: Terminal.standardOutput.write(database.schema)
      case .api: Terminal.standardOutput.write(database.apiSchema)
      case .introspection: Terminal.standardOutput.write(try database.introspection().prettyUTF8 + [0x0A])
      }
    }
  }

  /// Prints what another schema says differently; what the data would lose by it is the failure.
  private static func change(
    _ session: inout Session, _ given: (name: String, bytes: [UInt8])?, to target: String, allowsLoss: Bool,
    isApplied: Bool
  ) throws -> Int32 {
    var document: QueryDocument?
    if let given {
      document = try QueryDocument(
        name: given.name, bytes: given.bytes, dialect: session.dialect, limits: session.limits)
    }
    let database = try session.database(for: document, directory: given.map { Session.directory(of: $0.name) })
    let bytes = try session.readSchema(target)
    if DataArgument.isSQLite(bytes) {
      let flag = Database.isDatabase(path: target) ? "--db" : "--data"
      throw UsageError(
        "\(target) is a database, and --to names a file with a schema",
        help: "'gqlite schema \(flag) \(target)' prints its schema")
    }
    let before = database.schema
    let change = try database.schemaChange(to: String(decoding: bytes, as: UTF8.self), name: target)
    Terminal.standardOutput.write(change.description)
    if isApplied {
      try database.changeSchema(
        to: String(decoding: bytes, as: UTF8.self), name: target, allowingLoss: allowsLoss)
      if database.schema == before { Terminal.standardOutput.write("nothing to change\n") }
      try session.close()
      return Process.success
    }
    let isRefused = !change.conflicts.isEmpty || !allowsLoss && !change.losses.isEmpty
    return isRefused ? Process.failure : Process.success
  }
}
