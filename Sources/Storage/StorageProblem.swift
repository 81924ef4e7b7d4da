import CSQLite3
import GQLBase
import GQLEngine

/// Why a database file cannot be used.
package enum StorageProblem {
  /// Another process, or another database of this one, writes to it.
  case busy(holder: String)
  /// Bytes of it are not what was written.
  case corrupt(String)
  /// A branch that is not kept as it was written.
  case branchIsCorrupt(String, String)
  /// It is of another program.
  case foreign
  /// It is of a newer version of this program.
  case newer(format: Int)
  case full
  case readOnly(String)
  /// The database was opened for reading.
  case openedForReading
  /// Commits are in a log that cannot be read, as its folder cannot be written.
  case logIsUnreadable
  /// The folder cannot be written, so that changes of others cannot be followed.
  case followingIsImpossible
  /// A type is to be added to a database that was opened for reading.
  case typeIsMissing(String)
  /// It is on a file system that other machines may use too.
  case onNetwork(String)
  /// Another program has changed it.
  case changed
  /// A value or a schema has no form in a file.
  case notStorable(String)
  /// A schema gives a number that something else in the file has.
  case numberTaken(String, Int64, by: String)
  /// A schema gives another number than the one before.
  case numberChanged(String, Int64, Int64)
  /// The system refuses.
  case failed(String)
  /// The log of the file does not reach to a version.
  case unknownVersion(Int64, oldest: Int64, newest: Int64)
  /// A copy is to be written where something is.
  case taken
  /// A copy is to be written where a file of SQLite is left beside the path.
  case leftBeside(String)
  /// The path is none of a file that can be used.
  case unusable(String)

  /// Every code.
  package static let codes: [DiagnosticCode] = [
    "storage-busy", "storage-corrupt", "storage-version", "storage-full", "storage-read-only", "storage-changed",
    "not-storable", "storage-failed",
    "storage-closed", "storage-network", "unknown-version",
  ]

  /// The error, with the file's path.
  func error(_ path: String) -> QueryError {
    switch self {
    case .busy(let holder):
      QueryError(
        code: "storage-busy", "the file is open for writing elsewhere" + (holder.isEmpty ? "" : ": \(holder)"),
        help: "close it there, or open it for reading", file: path)
    case .corrupt(let what):
      QueryError(code: "storage-corrupt", "the file is damaged: \(what)", help: "restore a backup", file: path)
    case .branchIsCorrupt(let name, let what):
      QueryError(
        code: "storage-corrupt", "the branch '\(name)' is damaged: \(what)",
        help: "drop the branch, or restore a backup", file: path)
    case .foreign: Self.foreignFile(path)
    case .newer(let format):
      QueryError(
        code: "storage-version", "the file has format \(format), which this version does not know",
        help: "use the version of gqlite that wrote it, or a later one", file: path)
    case .full:
      QueryError(
        code: "storage-full", "there is no space left on the disk", help: "make room, then reopen the database",
        file: path)
    case .readOnly(let what):
      QueryError(
        code: "storage-read-only", "the file cannot be written: \(what)",
        help: "change who may write it and its folder, or open it for reading", file: path)
    case .typeIsMissing(let name):
      QueryError(
        code: "storage-read-only", "the file has no type '\(name)', and the database was opened for reading",
        help: "open it for writing", file: path)
    case .openedForReading:
      QueryError(
        code: "storage-read-only", "the database was opened for reading", help: "open it for writing", file: path)
    case .logIsUnreadable:
      QueryError(
        code: "storage-read-only", "the last changes are in a log beside the file, and its folder cannot be written",
        help: "copy the file and its '-wal' file into a folder that can be written, and open the copy", file: path)
    case .followingIsImpossible:
      QueryError(
        code: "storage-read-only", "what others write cannot be seen, as the folder of the file cannot be written",
        help: "open it with the right to write to the folder, or for reading while nobody writes", file: path)
    case .onNetwork(let system):
      QueryError(
        code: "storage-network",
        "the file is on a network file system, '\(system)', where its log and its lock cannot work",
        help: "keep it on a disk of the machine", file: path)
    case .changed:
      QueryError(
        code: "storage-changed", "another program has changed, removed or replaced the file",
        help: "reopen the database", file: path)
    case .notStorable(let what):
      QueryError(code: "not-storable", "\(what) cannot be kept in a file", file: path)
    case .numberTaken(let name, let number, let owner):
      QueryError(
        code: "number-conflict", "'\(name)' has the number \(number), which belongs to '\(owner)' in the file",
        help: "give it another number", file: path)
    case .numberChanged(let name, let number, let had):
      QueryError(
        code: "number-conflict", "'\(name)' has the number \(number), but it has \(had) in the file",
        help: "a number stays as it is", file: path)
    case .unknownVersion(let version, let oldest, let newest):
      QueryError(
        code: "unknown-version",
        version > newest
          ? "there is no version \(version): the newest is \(newest)"
          : "the log does not reach back to version \(version): the oldest that it leads to is \(oldest)",
        help: "versions from \(oldest) to \(newest) are known", file: path)
    case .unusable(let what):
      QueryError(code: "storage-failed", "the file cannot be used: \(what)", help: "name another path", file: path)
    case .taken:
      QueryError(
        code: "storage-failed", "there is something at this path already",
        help: "name one where nothing is", file: path)
    case .leftBeside(let other):
      QueryError(
        code: "storage-failed", "a file of an earlier database is beside this path: '\(other)'",
        help: "remove it, or name another path", file: path)
    case .failed(let what):
      QueryError(code: "storage-failed", "the file cannot be used: \(what)", help: "reopen the database", file: path)
    }
  }

  private static func foreignFile(_ path: String) -> QueryError {
    QueryError(code: "storage-corrupt", "this is no database of gqlite", help: "name another file", file: path)
  }

  /// Makes the problem of a result code of SQLite.
  init(_ code: Int32, _ message: String) {
    switch code & 0xFF {
    case SQLITE_FULL: self = .full
    case SQLITE_CORRUPT: self = .corrupt(message)
    // A table or a column that each file has.
    case SQLITE_ERROR where message.hasPrefix("no such table") || message.hasPrefix("no such column"):
      self = .corrupt(message)
    case SQLITE_NOTADB: self = .foreign
    case SQLITE_READONLY, SQLITE_PERM: self = .readOnly(message)
    case SQLITE_CANTOPEN: self = .failed(message)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(holder: "")
    default: self = .failed(message)
    }
  }
}

extension QueryError {
  /// Indicates whether the system refuses, and nothing is wrong with what is kept.
  var isOfPlace: Bool { ["storage-full", "storage-failed", "storage-busy"].contains(problems.first?.code ?? "") }
}
