import Foundation
import GQLBase
import GQLEngine
import GQLStore

/// Copies of a version, and the room that it takes.
extension CommitLog {
  func backup(
    _ newest: Snapshot, version: Int64, _ branches: [BranchContent], to path: String
  ) throws(QueryError) {
    guard StoragePath.problem(of: path, mayBeMissing: true) == nil, StoragePath.isMissing(path) else {
      throw StorageProblem.failed("there is something at '\(path)' already").error(backend.name)
    }
    // It has its name when it is whole.
    let unfinished = "\(path).\(getpid()).tmp"
    StoragePath.remove(unfinished)
    let file = SQLiteBackend(path: unfinished)
    if let original = backend as? SQLiteBackend { file.identity = original.identity }
    do throws(QueryError) {
      // Nobody else knows of it.
      let copy = CommitLog(file, options: StorageOptions(allowsNetwork: true))
      try copy.begin(newest, version: version, branches)
      if let original = backend as? SQLiteBackend { try file.copyHistory(from: original.path, through: version) }
      try copy.close(newest)
    } catch {
      StoragePath.remove(unfinished)
      throw error
    }
    let isMoved = StoragePath.move(unfinished, to: path)
    StoragePath.remove(unfinished)
    if !isMoved { throw StorageProblem.failed("there is something at '\(path)' already").error(backend.name) }
  }

  func vacuum() throws(QueryError) { try (backend as? SQLiteBackend)?.vacuum() }
}
