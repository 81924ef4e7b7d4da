import GQLite

/// `gqlite schema`
enum SchemaCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    var session = try Session(&arguments)
    // A document may carry the schema, or name the data.
    let documents =
      arguments.operands.isEmpty ? [] : try Session.documents(&arguments, command: "schema")
    try arguments.finish("schema")
    guard session.schemaPath != nil || !session.dataPaths.isEmpty || !documents.isEmpty else {
      throw UsageError("no schema: give --schema F or --data PATH", help: "try 'gqlite schema --help'")
    }
    if documents.isEmpty {
      Terminal.standardOutput.write(try session.database(for: nil, directory: nil).schema)
    }
    for (name, bytes) in documents {
      let document = try QueryDocument(name: name, bytes: bytes, dialect: session.dialect, limits: session.limits)
      Terminal.standardOutput.write(
        try session.database(for: document, directory: Session.directory(of: name)).schema)
    }
    return Process.success
  }
}
