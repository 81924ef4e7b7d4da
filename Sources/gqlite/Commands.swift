import GQLBase
import GQLite

/// `gqlite explain FILE…`
enum ExplainCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    var session = try Session(&arguments)
    let variables = try Variables(&arguments)
    let operation = try arguments.value("operation")
    let analyze = arguments.flag("analyze")
    let costs = try arguments.value("costs") ?? "on"
    guard costs == "on" || costs == "off" else { throw UsageError("--costs is 'on' or 'off', not '\(costs)'") }
    let options = try RunCommand.runOptions(&arguments)
    let documents = try Session.documents(&arguments, command: "explain")
    try arguments.finish("explain")
    for (name, bytes) in documents {
      let document = try QueryDocument(name: name, bytes: bytes, dialect: session.dialect)
      let database = try session.database(for: document, directory: Session.directory(of: name))
      let queries = try RunCommand.selected(database.prepareAll(document), operation, document)
      try variables.checkNames(queries)
      for (index, query) in queries.enumerated() {
        if index > 0 { Terminal.standardOutput.write("\n") }
        if queries.count > 1, let name = query.name { Terminal.standardOutput.write("\(name):\n") }
        let text = try query.explain(
          try variables.values(for: query), costs: costs == "on", analyze: analyze, options: options)
        Terminal.standardOutput.write(text.hasSuffix("\n") ? text : text + "\n")
      }
    }
    return Process.success
  }
}

/// `gqlite check FILE…`
enum CheckCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let syntaxOnly = arguments.flag("syntax")
    var session = try Session(&arguments)
    let documents = try Session.documents(&arguments, command: "check")
    try arguments.finish("check")
    var status = Process.success
    for (name, bytes) in documents {
      do throws(QueryError) {
        let document = try QueryDocument(name: name, bytes: bytes, dialect: session.dialect)
        if syntaxOnly { continue }
        let database = try session.database(for: document, directory: Session.directory(of: name))
        if let warnings = try database.check(document) { Process.report(warnings) }
      } catch {
        status = Process.failure
        Process.report(error)
      }
    }
    return status
  }
}

/// `gqlite fmt FILE…`
enum FormatCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let isCheck = arguments.flag("check")
    let dialect = try Session.dialect(&arguments)
    let files = arguments.operands
    try arguments.finish("fmt")
    guard !files.isEmpty else { throw UsageError("no document: name a file or '-'", help: "try 'gqlite fmt --help'") }
    var status = Process.success
    for file in files {
      do throws(QueryError) {
        let bytes = try Session.read(file)
        let formatted = try QueryDocument.formatted(
          name: file == "-" ? "<stdin>" : file, bytes: bytes, dialect: dialect)
        if isCheck {
          guard formatted != bytes else { continue }
          Terminal.standardOutput.write("\(file)\n")
          status = Process.failure
        } else if file == "-" {
          Terminal.standardOutput.write(formatted)
        } else if formatted != bytes {
          try FileBytes.write(formatted, to: file)
        }
      } catch {
        status = Process.failure
        Process.report(error)
      }
    }
    return status
  }
}

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
      let document = try QueryDocument(name: name, bytes: bytes, dialect: session.dialect)
      Terminal.standardOutput.write(
        try session.database(for: document, directory: Session.directory(of: name)).schema)
    }
    return Process.success
  }
}

/// `gqlite test PATH…`
enum TestCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let updates = arguments.flag("update")
    let paths = arguments.operands
    try arguments.finish("test")
    guard !paths.isEmpty else {
      throw UsageError("no test: name a file or a directory", help: "try 'gqlite test --help'")
    }
    var runner = GoldenRunner(updates: updates)
    for path in paths { try runner.run(path) { Terminal.standardOutput.write($0) } }
    if runner.passed + runner.failed + runner.skipped == 0 {
      throw UsageError("no test was found in \(paths.joined(separator: ", "))", help: nil)
    }
    Terminal.standardOutput.write(
      "\(runner.passed) passed, \(runner.failed) failed" + (runner.skipped > 0 ? ", \(runner.skipped) skipped" : "")
        + "\n")
    return runner.failed == 0 ? Process.success : Process.failure
  }
}
