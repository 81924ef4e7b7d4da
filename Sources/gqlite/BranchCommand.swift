import GQLBase
import GQLite

/// `gqlite branch FILE [NAME]`
enum BranchCommand {
  private enum Action: String, CaseIterable { case changes, refresh, merge, drop }

  static func run(_ arguments: inout Arguments) throws -> Int32 {
    var actions: [Action] = []
    for action in Action.allCases where arguments.flag(action.rawValue) { actions.append(action) }
    if actions.count > 1 { throw UsageError("--\(actions[0]) and --\(actions[1]) are two commands") }
    let target = try arguments.value("into")
    let choice = try choice(&arguments)
    let origin = try arguments.value("origin")
    if target != nil || origin != nil, actions != [.merge] { throw UsageError("--into and --origin are for --merge") }
    if choice != nil, actions != [.merge], actions != [.refresh] {
      throw UsageError("--conflicts is for --merge and --refresh")
    }
    let named = try arguments.value("db")
    let operands = (named.map { [$0] } ?? []) + arguments.operands
    guard let path = operands.first, operands.count <= 2 else {
      throw UsageError("a database is wanted, and the name of a branch", help: "try 'gqlite branch --help'")
    }
    try arguments.finish("branch")
    let name = operands.dropFirst().first
    if name == nil, let action = actions.first { throw UsageError("--\(action) is for a branch: name one") }
    let reads = name == nil || actions == [.changes]
    let database = try open(path, reads: reads, branch: actions.isEmpty ? name : nil)
    guard let name else {
      for branch in try database.branches { write(branch) }
      return Process.success
    }
    func writeBranch() throws(QueryError) {
      for branch in try database.branches where branch.name == name { write(branch) }
    }
    switch actions.first {
    case nil:
      _ = try database.branch(name)
      try writeBranch()
    case .changes?:
      try database.branch(name, creates: false).changes.forEachRow {
        Terminal.standardOutput.write([UInt8]($0) + [0x0A])
      }
    case .refresh?:
      do throws(QueryError) {
        tell(try database.branch(name, creates: false).refresh(conflicts: choice ?? .fail))
      } catch { throw inFlags(error) }
      try writeBranch()
    case .merge?:
      do throws(QueryError) {
        try merge(database.branch(name, creates: false), into: target, of: database, choice ?? .fail, origin: origin)
      } catch { throw inFlags(error) }
    case .drop?: try database.dropBranch(name)
    }
    try database.close()
    return Process.success
  }

  /// Opens the database. A branch that is there is shown while another process writes, too.
  private static func open(_ path: String, reads: Bool, branch: String?) throws(QueryError) -> Database {
    do throws(QueryError) {
      return try Database(path: path, storage: StorageOptions(access: reads ? .read : .write, creates: false))
    } catch {
      guard let branch, !reads, error.problems.first?.code == "storage-busy" else { throw error }
      let database = try Database(path: path, storage: StorageOptions(access: .read, creates: false))
      guard try database.branches.contains(where: { $0.name == branch }) else { throw error }
      return database
    }
  }

  private static func choice(_ arguments: inout Arguments) throws(UsageError) -> MergeChoice? {
    switch try arguments.value("conflicts") {
    case nil: nil
    case "mine"?: .mine
    case "theirs"?: .theirs
    case let other?: throw UsageError("--conflicts is mine or theirs, not '\(other)'")
    }
  }

  private static func merge(
    _ branch: Branch, into target: String?, of database: Database, _ choice: MergeChoice, origin: String?
  ) throws(QueryError) {
    let report: MergeReport
    if let target {
      report = try branch.merge(into: database.branch(target, creates: false), conflicts: choice, origin: origin)
    } else {
      report = try branch.merge(into: database, conflicts: choice, origin: origin)
    }
    tell(report.conflicts)
    write([
      .init("version", .int(report.version)), .init("changes", .int(Int64(report.applied.entities.count))),
      .init("conflicts", .int(Int64(report.conflicts.count))),
    ])
  }

  /// Tells how conflicts were decided.
  private static func tell(_ conflicts: [MergeConflict]) {
    for conflict in conflicts {
      Process.tell("\(conflict): \(conflict.resolved.rawValue) counts", after: "note: ")
    }
  }

  /// Returns an error whose help names the flag of the command for the argument of the library.
  private static func inFlags(_ error: QueryError) -> QueryError {
    guard error.problems.contains(where: { $0.code == "merge-conflict" }) else { return error }
    let diagnostics = error.problems.map { problem in
      let help = problem.help?.replacing("save", with: "merge").replacing(
        "with 'conflicts: .", with: "with '--conflicts "
      )
      .replacing("'.theirs'", with: "'theirs'")
      return Diagnostic(DiagnosticCode(rawValue: problem.code), problem.message, at: SourceRange(at: 0), help: help)
    }
    return QueryError([(SourceText(name: "", bytes: []), diagnostics)])
  }

  private static func write(_ branch: BranchDescription) {
    write([
      .init("name", .string(branch.name)), .init("base", .int(branch.base)), .init("changes", .int(branch.changes)),
      .init("time", DateTimeText.text(branch.time).map { .string($0) } ?? .null),
    ])
  }

  private static func write(_ members: [Value.Member]) { Terminal.standardOutput.write("\(Value.object(members))\n") }
}
