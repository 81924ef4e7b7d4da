import GQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// `gqlite log FILE [--since V] [--follow]`
enum LogCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    let since = try VersionArgument.value(&arguments, "since")
    let follows = arguments.flag("follow")
    try checkFormat(&arguments)
    let path = try DatabaseOperand.only(&arguments, "log")
    try arguments.finish("log")
    let log = try StorageLog(path: path)
    try log.forEachCommit(after: since) { Terminal.standardOutput.write(line: $0) }
    guard follows else { return Process.success }
    Terminal.standardOutput.flush()
    Follower.catchSignals()
    while Follower.wait() {
      try log.forEachNewCommit { Terminal.standardOutput.write(line: $0) }
      Terminal.standardOutput.flush()
    }
    return Process.success
  }

  /// There is one format so far.
  static func checkFormat(_ arguments: inout Arguments) throws(UsageError) {
    guard let format = try arguments.value("format"), format != "json" else { return }
    throw UsageError("--format is json, not '\(format)'")
  }
}

/// `gqlite diff FILE --from V [--to V]`
enum DiffCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    guard let from = try VersionArgument.value(&arguments, "from") else {
      throw UsageError("a version is wanted: --from V", help: "try 'gqlite diff --help'")
    }
    let to = try VersionArgument.value(&arguments, "to")
    try LogCommand.checkFormat(&arguments)
    let path = try DatabaseOperand.only(&arguments, "diff")
    try arguments.finish("diff")
    try StorageLog(path: path).forEachDifference(from: from, to: to) { Terminal.standardOutput.write(line: $0) }
    return Process.success
  }
}

/// A version that a flag names.
private enum VersionArgument {
  static func value(_ arguments: inout Arguments, _ name: String) throws(UsageError) -> Int64? {
    guard let text = try arguments.value(name) else { return nil }
    guard let version = Int64(text), version >= 0 else {
      throw UsageError("--\(name) is the number of a version, not '\(text)'")
    }
    return version
  }
}

/// The pauses of a command that goes on until it is ended.
enum Follower {
  // Safe because a handler only sets it, and the command has one thread.
  nonisolated(unsafe) private static var isEnded: sig_atomic_t = 0

  /// Has a signal that ends the process end the command in order, also where the parent has blocked signals.
  static func catchSignals() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { _ in Follower.isEnded = 1 }
      sigaddset(&signals, number)
    }
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Waits a moment. Returns false when the command is to end: at a signal, or when nobody reads its output.
  static func wait(_ milliseconds: Int32 = 100) -> Bool {
    var output = pollfd(fd: 1, events: 0, revents: 0)
    let found = poll(&output, 1, milliseconds)
    return isEnded == 0 && (found <= 0 || output.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0)
  }
}

extension Terminal {
  /// Writes bytes and a line break.
  fileprivate func write(line: UnsafeRawBufferPointer) { write([UInt8](line) + [0x0A]) }
}
