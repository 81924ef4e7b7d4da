import GQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The process as a whole: dispatch, exit codes, signals.
enum Process {
  /// Done.
  static let success: Int32 = 0
  /// The document, the data or the query failed.
  static let failure: Int32 = 1
  /// Wrong usage.
  static let usage: Int32 = 2

  /// Runs the command and ends the process.
  static func run(_ arguments: [String]) -> Never {
    // A closed pipe is seen as a failed write and ends the command quietly.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is a failed write, too.
    signal(SIGXFSZ, SIG_IGN)
    keepStandardError()
    let status: Int32
    do {
      try checkArguments()
      status = try dispatch(arguments)
    } catch let error as UsageError {
      Terminal.standardError.write("gqlite: \(error.message)\n")
      if let help = error.help { Terminal.standardError.write("\(help)\n") }
      exit(usage)
    } catch let error as QueryError {
      report(error)
      exit(failure)
    } catch {
      Terminal.standardError.write("gqlite: \(error)\n")
      exit(failure)
    }
    Terminal.standardOutput.flush()
    exit(status)
  }

  /// Throws where an argument is not UTF-8: it was read with other characters in the place of some bytes.
  private static func checkArguments() throws {
    for number in 1..<max(1, Int(CommandLine.argc)) {
      // Safe because there are so many.
      guard let bytes = CommandLine.unsafeArgv[number], String(validatingCString: bytes) == nil else { continue }
      throw UsageError("argument \(number) is not UTF-8: '\(String(cString: bytes))'", help: nil)
    }
  }

  /// Where standard error is closed, its number must not go to the next file that is opened: `-o` would get the
  /// messages.
  private static func keepStandardError() {
    guard fcntl(2, F_GETFD) < 0 else { return }
    let null = open("/dev/null", O_WRONLY)
    guard null >= 0, null != 2 else { return }
    dup2(null, 2)
    close(null)
  }

  /// How diagnostics are written: set by `--diagnostics`.
  // Safe because the command has one thread.
  nonisolated(unsafe) static var diagnosticsAsJSON = false

  static func report(_ error: QueryError) {
    Terminal.standardOutput.flush()
    if diagnosticsAsJSON {
      Terminal.standardError.write(error.jsonLines)
    } else {
      Terminal.standardError.write(Terminal.standardError.hasColors ? error.coloredDescription : error.description)
    }
  }

  /// Writes a sentence about what was done to standard error. A text begins with a word that JSON has no need of.
  static func tell(_ note: String, after word: String = "") {
    guard diagnosticsAsJSON else { return Terminal.standardError.write("gqlite: \(word)\(note)\n") }
    let line = Value.object([.init("severity", .string("note")), .init("message", .string(note))])
    Terminal.standardError.write("\(line)\n")
  }

  private static func dispatch(_ arguments: [String]) throws -> Int32 {
    let commands: [(name: String, run: (inout Arguments) throws -> Int32)] = [
      ("run", RunCommand.run), ("explain", ExplainCommand.run), ("check", CheckCommand.run), ("fmt", FormatCommand.run),
      ("schema", SchemaCommand.run), ("test", TestCommand.run), ("bench", BenchCommand.run),
      ("generate", GenerateCommand.run), ("init", InitCommand.run), ("import", ImportCommand.run),
      ("export", ExportCommand.run), ("verify", VerifyCommand.run), ("backup", BackupCommand.run),
      ("compact", CompactCommand.run),
      ("log", LogCommand.run), ("diff", DiffCommand.run), ("live", LiveCommand.run),
      ("branch", BranchCommand.run),
    ]
    if arguments.isEmpty {
      Terminal.standardError.write(Help.main)
      return usage
    }
    if arguments == ["--version"] {
      Terminal.standardOutput.write("gqlite \(GQLiteVersion.current)\n")
      return success
    }
    if arguments == ["--help"] || arguments == ["-h"] || arguments == ["help"] {
      Terminal.standardOutput.write(Help.main)
      return success
    }
    if arguments.first == "help", arguments.count == 2, let text = Help.commands[arguments[1]] {
      Terminal.standardOutput.write(text)
      return success
    }
    // Flags may stand before the command's name too; a file may be called anything that is no command.
    var parsed = try Arguments(arguments)
    let name = try parsed.takeCommand(commands.map(\.name)) ?? "run"
    if parsed.flag("help") {
      Terminal.standardOutput.write(Help.commands[name] ?? Help.main)
      return success
    }
    if parsed.flag("version") {
      Terminal.standardOutput.write("gqlite \(GQLiteVersion.current)\n")
      return success
    }
    if let form = try parsed.value("diagnostics") {
      guard form == "json" || form == "text" else {
        throw UsageError("--diagnostics is 'text' or 'json', not '\(form)'")
      }
      diagnosticsAsJSON = form == "json"
    }
    guard let command = commands.first(where: { $0.name == name }) else { return usage }
    return try command.run(&parsed)
  }
}
