import GQLite

/// `gqlite explain FILE…`
enum ExplainCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    var session = try Session(&arguments, reads: true)
    let variables = try Variables(&arguments, of: session)
    let operation = try arguments.value("operation")
    let analyze = arguments.flag("analyze")
    let costs = try arguments.value("costs") ?? "on"
    guard costs == "on" || costs == "off" else { throw UsageError("--costs is 'on' or 'off', not '\(costs)'") }
    let format = try arguments.value("format") ?? "text"
    guard ["text", "json", "bound"].contains(format) else {
      throw UsageError("--format is 'text', 'json' or 'bound', not '\(format)'")
    }
    if format == "bound", analyze { throw UsageError("--format bound has nothing to measure: leave out --analyze") }
    let options = try RunCommand.runOptions(&arguments)
    let documents = try session.documents(&arguments, command: "explain")
    try arguments.finish("explain")
    let parsed = session.parse(documents, options)
    try variables.checkNames(in: parsed, operation: operation)
    for document in parsed {
      var options = options
      let document = try document.get()
      let directory = Session.directory(of: document.sourceName)
      let database = try session.database(for: document, directory: directory, &options)
      let queries = try RunCommand.selected(database.prepareAll(document, options: options), operation, document)
      for (index, query) in queries.enumerated() {
        if format == "json" {
          let text = try query.explainJSON(
            try variables.values(for: query), costs: costs == "on", analyze: analyze, options: options)
          Terminal.standardOutput.write(text + "\n")
          continue
        }
        if index > 0 { Terminal.standardOutput.write("\n") }
        if queries.count > 1, let name = query.name { Terminal.standardOutput.write("\(name):\n") }
        if format == "bound" {
          Terminal.standardOutput.write(try query.explainBound(try variables.values(for: query)))
          continue
        }
        let text = try query.explain(
          try variables.values(for: query), costs: costs == "on", analyze: analyze, options: options)
        Terminal.standardOutput.write(text.hasSuffix("\n") ? text : text + "\n")
      }
    }
    return Process.success
  }
}
