import GQLite

/// `gqlite generate swift`
enum GenerateCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    var session = try Session(&arguments)
    let words = arguments.operands
    try arguments.finish("generate")
    guard words == ["swift"] else {
      throw UsageError(
        words.isEmpty ? "generate what: 'swift'" : "gqlite generates 'swift', not '\(words.joined(separator: " "))'",
        help: "try 'gqlite generate --help'")
    }
    guard session.schemaPath != nil || !session.data.isEmpty else {
      throw UsageError("no schema: give --schema F, or name a file of data", help: "try 'gqlite generate --help'")
    }
    Terminal.standardOutput.write(try session.database(for: nil, directory: nil).swiftModels)
    return Process.success
  }
}
