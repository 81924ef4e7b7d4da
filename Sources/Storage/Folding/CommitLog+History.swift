import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// The past of the types that have `@history`: in a table of a file, and of other backends in records that never go.
extension CommitLog: HistoryStorage {
  package func readHistory(
    _ request: HistoryRequest, from begin: ([HistoryStart?]) -> Bool, _ body: (HistoryStep) -> Bool
  ) throws(QueryError) -> HistoryReading {
    if let file = backend as? SQLiteBackend { return try file.readHistory(request, from: begin, body) }
    let kept = try keptCommits()
    if let first = kept.first, first.version > request.newest + 1 {
      return HistoryReading(isOfNewest: false, hasErased: false)
    }
    let first = kept.first?.version ?? request.newest + 1
    // When what was there before the first record was made is not known.
    let start = first == 1 ? .ever : HistoryStart(version: first - 1, time: .max)
    guard begin(request.types.map { _ in start }) else { return HistoryReading(isOfNewest: true, hasErased: false) }
    var time = Int64.min
    let commits = kept.map { commit in
      time = max(time, commit.time)
      return commit.at(time)
    }
    var rows = HistoryRows()
    do throws(ChangeProblem) {
      _ = try request.forEachStep(of: commits, &rows, body)
    } catch {
      throw StorageProblem.corrupt("a commit of its log is not readable").error(backend.name)
    }
    return HistoryReading(isOfNewest: true, hasErased: !rows.erased.isEmpty)
  }
}
