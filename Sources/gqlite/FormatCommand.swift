import GQLite

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
        let bytes = try Session.read(file, atMost: QueryLimits.standard.documentBytes)
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
