import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// The past of the types that have `@history`: in a table of a file, and of other backends in records that never go.
extension CommitLog: HistoryStorage {
  package func starts(_ request: HistoryRequest) throws(QueryError) -> [HistoryStart?] {
    var starts: [HistoryStart?] = []
    if let file = backend as? SQLiteBackend {
      try file.readHistory { (history) throws(QueryError) in starts = try history.starts(request.types) }
    } else {
      let first = try keptCommits().first?.version ?? request.newest + 1
      // When what was there before the first record was made is not known.
      let start = first == 1 ? .ever : HistoryStart(version: first - 1, time: .max)
      starts = request.types.map { _ in start }
    }
    return starts
  }

  package func forEachStep(_ request: HistoryRequest, _ body: (HistoryStep) -> Bool) throws(QueryError) {
    if let file = backend as? SQLiteBackend {
      return try file.readHistory { (history) throws(QueryError) in try history.forEachStep(request, body) }
    }
    var time = Int64.min
    let commits = try keptCommits().map { commit in
      time = max(time, commit.time)
      return Commit(version: commit.version, time: time, changes: commit.changes)
    }
    var erased: [Int: Set<UInt32>] = [:]
    do throws(ChangeProblem) {
      _ = try request.forEachStep(of: commits, &erased, body)
    } catch {
      throw StorageProblem.corrupt("a commit of its log is not readable").error(backend.name)
    }
  }
}
