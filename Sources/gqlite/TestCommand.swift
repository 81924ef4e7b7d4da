import GQLite

/// `gqlite test PATH…`
enum TestCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let updates = arguments.flag("update")
    let paths = arguments.operands
    try arguments.finish("test")
    guard !paths.isEmpty else {
      throw UsageError("no test: name a file or a directory", help: "try 'gqlite test --help'")
    }
    if updates, Terminal.isContinuousIntegration {
      throw UsageError(
        "'--update' does not rewrite expectations in continuous integration, where the variable CI is set",
        help: "run it without '--update', or clear the variable: CI= gqlite test --update")
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
