import Foundation
import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// Copies of a version, and the room that it takes.
extension CommitLog {
  func copying(
    _ newest: Snapshot, version: Int64, _ branches: [BranchContent]
  ) throws(QueryError) -> StorageCopy {
    let source = try (backend as? SQLiteBackend)?.copySource()
    return { (path) throws(QueryError) in try Self.copy(newest, version: version, branches, from: source, to: path) }
  }

  private static func copy(
    _ newest: Snapshot, version: Int64, _ branches: [BranchContent], from source: CopySource?, to path: String
  ) throws(QueryError) {
    guard StoragePath.isMissing(path) else { throw StorageProblem.taken.error(path) }
    if let left = StoragePath.leftBeside(path) { throw StorageProblem.leftBeside(left).error(path) }
    if StoragePath.isMissing(StoragePath.folder(of: path)) {
      throw StorageProblem.unusable("its folder is missing").error(path)
    }
    // Before a copy is written that would lack the past.
    if let source, source.isReplaced, HistoryTypes(newest.catalog).isAny {
      throw StorageProblem.changed.error(source.path)
    }
    // It has its name when it is whole.
    let unfinished = "\(path).\(getpid()).tmp"
    StoragePath.remove(unfinished)
    let file = SQLiteBackend(path: unfinished)
    file.identity = source?.identity
    do throws(QueryError) {
      // Nobody else knows of it.
      let copy = CommitLog(file, options: StorageOptions(allowsNetwork: true))
      try copy.begin(newest, version: version, branches)
      if let source {
        try file.copyNumbers(from: source)
        try file.copyHistory(from: source, through: version)
      }
      try copy.close(newest)
      // It goes without the log.
      if StoragePath.hasLog(unfinished) {
        throw StorageProblem.failed("its log cannot be copied into it").error(path)
      }
    } catch {
      StoragePath.remove(unfinished)
      throw error
    }
    let isMoved = StoragePath.move(unfinished, to: path)
    StoragePath.remove(unfinished)
    if !isMoved { throw StorageProblem.taken.error(path) }
  }

  var isReplaced: Bool { (try? (backend as? SQLiteBackend)?.opened())?.isReplaced ?? false }

  func second() throws(QueryError) -> any CommitStorage {
    guard let file = backend as? SQLiteBackend else { throw StorageProblem.changed.error(backend.name) }
    let known = try file.opened()
    let again = SQLiteBackend(path: file.path)
    do {
      try again.open(.reading)
      // Another file at the path is another database.
      guard !known.isReplaced, try again.opened().file == known.file else {
        again.abandon()
        throw StorageProblem.changed.error(file.path)
      }
    } catch let error as QueryError {
      throw known.isReplaced ? StorageProblem.changed.error(file.path) : error
    } catch {
      throw StorageProblem.failed("\(error)").error(file.path)
    }
    return CommitLog(again, options: .reading)
  }

  func readAtOnce(_ body: (StoredVersion) throws(QueryError) -> Void) throws(QueryError) {
    guard let file = backend as? SQLiteBackend else { throw StorageProblem.changed.error(backend.name) }
    try file.opened().reading { () throws(QueryError) in
      guard let stored = try readAll() else { throw StorageProblem.changed.error(file.path) }
      try body(stored)
    }
  }

  func vacuum() throws(QueryError) { try (backend as? SQLiteBackend)?.vacuum() }
}
