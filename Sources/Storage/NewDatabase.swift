import Foundation
import GQLBase
import GQLEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A database in a file that is in the making.
package enum NewDatabase {
  /// Makes a database at a path where nothing is: whole, or not at all.
  ///
  /// Until `body` has filled it, it has another name. So one that is killed, or finds no room, leaves the path free, and
  /// the next one of the same path removes its remains.
  ///
  /// - Throws: ``GQLEngine/QueryError``, as opening does, or what `body` throws; then nothing is at the path.
  package static func make<Output>(
    path: String, schema: String? = nil, name: String = "schema.graphql",
    _ body: (Database) throws(QueryError) -> Output
  ) throws(QueryError) -> Output {
    if let problem = StoragePath.problem(of: path, mayBeMissing: true) {
      throw StorageProblem.unusable(problem).error(path)
    }
    guard StoragePath.isMissing(path) else { throw StorageProblem.taken.error(path) }
    // So that nobody else makes it meanwhile.
    let lock = try FileLock(path)
    do throws(QueryError) {
      return try withExtendedLifetime(lock) { () throws(QueryError) in
        removeRemains(of: path)
        return try fill(path, schema, name, body)
      }
    } catch {
      if lock.isNew, StoragePath.isMissing(path) { lock.removeFile() }
      throw error
    }
  }

  /// Makes a database under another name, and gives it its own when it is whole.
  private static func fill<Output>(
    _ path: String, _ schema: String?, _ name: String, _ body: (Database) throws(QueryError) -> Output
  ) throws(QueryError) -> Output {
    let unfinished = "\(path).\(getpid()).tmp"
    StoragePath.remove(unfinished)
    let output: Output
    do throws(QueryError) {
      let database = try Database(path: unfinished, schema: schema, name: name)
      output = try body(database)
      try database.close()
      // The file alone gets the name, so it must have everything.
      if StoragePath.hasLog(unfinished) { throw StorageProblem.full.error(unfinished) }
    } catch {
      StoragePath.remove(unfinished)
      throw error.renaming(unfinished, to: path)
    }
    // Before the file has its name: nothing is left beside it then.
    StoragePath.removeLock(unfinished)
    // SQLite would take the log of a file that is gone for that of the new one.
    StoragePath.removeLogs(path)
    guard StoragePath.move(unfinished, to: path) else {
      StoragePath.remove(unfinished)
      throw StorageProblem.taken.error(path)
    }
    return output
  }

  /// Removes what processes that are gone have left of a database in the making.
  private static func removeRemains(of path: String) {
    let folder = StoragePath.folder(of: path)
    let stem = (path.split(separator: "/").last.map(String.init) ?? path) + "."
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(stem) {
      // A lock alone may be left, too.
      let rest = name.dropFirst(stem.count).split(separator: "-", maxSplits: 1).first ?? ""
      guard rest.hasSuffix(".tmp"), let process = pid_t(rest.dropLast(4)), process > 0 else { continue }
      let file = "\(folder)/\(stem)\(rest)"
      if kill(process, 0) == 0 || errno != ESRCH || FileLock.isHeld(file) || DatabaseHeader.isForeign(file) { continue }
      StoragePath.remove(file)
    }
  }
}

extension QueryError {
  /// Returns the error with another name for a file of which nobody knows.
  fileprivate func renaming(_ file: String, to name: String) -> QueryError {
    guard problems.allSatisfy({ $0.file == file }) else { return self }
    return QueryError(
      problems.map { problem in
        let diagnostic = Diagnostic(
          DiagnosticCode(problem.code), problem.message, at: SourceRange(at: 0), help: problem.help)
        return (SourceText(name: name, bytes: []), [diagnostic])
      })
  }
}
