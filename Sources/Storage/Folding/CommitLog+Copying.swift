import Foundation
import GQLBase
import GQLEngine
import GQLStore

/// Copies of a version, and the room that it takes.
extension CommitLog {
  func backup(
    _ newest: Snapshot, version: Int64, _ branches: [BranchContent], to path: String
  ) throws(QueryError) {
    guard StoragePath.isMissing(path) else { throw StorageProblem.taken.error(path) }
    if StoragePath.isMissing(StoragePath.folder(of: path)) {
      throw StorageProblem.unusable("its folder is missing").error(path)
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
    if !isMoved { throw StorageProblem.taken.error(path) }
  }

  func vacuum() throws(QueryError) { try (backend as? SQLiteBackend)?.vacuum() }
}
