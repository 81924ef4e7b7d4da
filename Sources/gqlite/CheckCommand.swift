import GQLite

/// `gqlite check FILE…`
enum CheckCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let syntaxOnly = arguments.flag("syntax")
    var session = try Session(&arguments)
    let documents = try session.documents(&arguments, command: "check")
    try arguments.finish("check")
    var status = Process.success
    for (name, bytes) in documents {
      do throws(QueryError) {
        let document = try QueryDocument(name: name, bytes: bytes, dialect: session.dialect, limits: session.limits)
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
