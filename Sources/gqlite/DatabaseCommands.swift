import GQLite

/// `gqlite init FILE --schema F`
enum InitCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    guard let schema = try arguments.value("schema") else {
      throw UsageError("a new database needs a schema: --schema F", help: "try 'gqlite init --help'")
    }
    let path = try DatabaseOperand.only(&arguments, "init")
    try arguments.finish("init")
    if FileBytes.exists(path) { throw UsageError("there is a file '\(path)' already", help: nil) }
    let bytes = try Session.read(schema, atMost: QueryLimits.standard.documentBytes)
    let warnings = try NewDatabase.make(path: path, schema: String(decoding: bytes, as: UTF8.self), name: schema) {
      $0.schemaWarningReport
    }
    if let warnings { Process.report(warnings) }
    return Process.success
  }
}

/// `gqlite import --db FILE PATH…`
enum ImportCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    guard let path = try arguments.value("db") else {
      throw UsageError("a database is wanted: --db FILE", help: "try 'gqlite import --help'")
    }
    var loading = LoadOptions(skipsBadRecords: arguments.flag("skip-bad"))
    let paths = arguments.operands
    if paths.isEmpty { throw UsageError("no data is named", help: "try 'gqlite import --help'") }
    if let other = paths.first(where: { Database.isDatabase(path: $0) }) {
      throw UsageError("'\(other)' is a database", help: "export it into a folder, and import that")
    }
    try arguments.finish("import")
    if Terminal.standardError.isTerminal { loading.progress = { ProgressLine.show($0) } }
    defer { ProgressLine.clear() }
    let report = try load(paths, into: path, loading)
    ProgressLine.clear()
    Terminal.standardError.write(Process.diagnosticsAsJSON ? report.warningLines : report.warningText)
    if report.skippedRecords > 0 { Process.tell("\(report.skippedRecords) bad records were left out") }
    for count in report.inserted { Terminal.standardOutput.write("\(count.type): \(count.count)\n") }
    return Process.success
  }

  /// Loads data into a database. One that is missing is there when it has the data; it gets the schema that lies in a
  /// folder of the data, if one does.
  private static func load(
    _ paths: [String], into path: String, _ options: LoadOptions
  ) throws(QueryError) -> LoadReport {
    let sources = paths.map { path in
      let argument = DataArgument(flag: path)
      return DataSource.file(path: argument.path, name: argument.name, format: nil)
    }
    if FileBytes.exists(path) {
      let database = try Database(path: path, storage: StorageOptions(creates: true))
      let report = try database.load(sources, options: options)
      try database.close()
      return report
    }
    let schema = paths.lazy.map { Session.join($0, "schema.graphql") }.first { FileBytes.exists($0) }
    var text: String?
    if let schema {
      text = String(decoding: try Session.read(schema, atMost: QueryLimits.standard.documentBytes), as: UTF8.self)
    }
    return try NewDatabase.make(path: path, schema: text, name: schema ?? "") { (database) throws(QueryError) in
      try database.load(sources, options: options)
    }
  }
}

/// `gqlite export FILE DIR`
enum ExportCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let replaces = arguments.flag("replace")
    let named = try arguments.value("db")
    let operands = (named.map { [$0] } ?? []) + arguments.operands
    guard operands.count == 2 else {
      throw UsageError("a database and a folder are wanted", help: "try 'gqlite export --help'")
    }
    try arguments.finish("export")
    let (path, folder) = (operands[0], operands[1])
    if !replaces, let entry = FileBytes.names(in: folder).first {
      throw UsageError(
        "there is something in '\(folder)' already: '\(entry)'", help: "--replace replaces an earlier export")
    }
    // Reading only, so that it works while another process writes.
    let database = try Database(path: path, storage: StorageOptions(access: .read, creates: false))
    let report = try database.export(to: folder, replacing: replaces)
    for count in report.written { Terminal.standardOutput.write("\(count.type): \(count.count)\n") }
    if report.deleted > 0 { Process.tell("deleted entities are not exported: \(report.deleted)", after: "note: ") }
    if report.waiting > 0 {
      Process.tell("links that wait for an entity are not exported: \(report.waiting)", after: "note: ")
    }
    return Process.success
  }
}

/// `gqlite verify FILE`
enum VerifyCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let path = try DatabaseOperand.only(&arguments, "verify")
    try arguments.finish("verify")
    let problems = try Database.verify(path: path)
    for problem in problems { Terminal.standardOutput.write("\(problem)\n") }
    return problems.isEmpty ? Process.success : Process.failure
  }
}

/// `gqlite backup FILE TO`
enum BackupCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    guard arguments.operands.count == 2 else {
      throw UsageError("a database and the name of its copy are wanted", help: "try 'gqlite backup --help'")
    }
    let (path, target) = (arguments.operands[0], arguments.operands[1])
    try arguments.finish("backup")
    // Reading only, so that it works while another process writes.
    let database = try Database(path: path, storage: StorageOptions(access: .read, creates: false))
    let damaged = try database.backup(to: target)
    for name in damaged { Process.tell("the branch '\(name)' is damaged, and is not in the copy", after: "warning: ") }
    return damaged.isEmpty ? Process.success : Process.failure
  }
}

/// `gqlite compact FILE`
enum CompactCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let path = try DatabaseOperand.only(&arguments, "compact")
    try arguments.finish("compact")
    let database = try Database(path: path, storage: StorageOptions(creates: false))
    try database.compact()
    try database.close()
    return Process.success
  }
}

/// The database that a command is about.
enum DatabaseOperand {
  static func only(_ arguments: inout Arguments, _ command: String) throws(UsageError) -> String {
    guard arguments.operands.count == 1 else {
      throw UsageError("one database is wanted", help: "try 'gqlite \(command) --help'")
    }
    return arguments.operands[0]
  }
}
