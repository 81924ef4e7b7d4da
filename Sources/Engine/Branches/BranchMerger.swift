import GQLBase
import GQLStore

/// Brings the changes of a branch into another branch, or a context, of the same database. That has them beside its own.
struct BranchMerger {
  let origin: EditingOrigin
  let own: Database
  let other: EditingOrigin
  let target: Database
  let choice: MergeChoice

  private var parent: Database { origin.parent }
  private var memory: MergeMemory { MergeMemory(origin: other, own: target) }

  /// Merges them; see ``Branch/merge(into:conflicts:origin:action:)-(EditingContext,_,_,_)``. Nothing is done where that
  /// fails.
  func merge(_ log: BranchLog, origin name: String?, action: String?) throws(QueryError) -> MergeReport {
    while true {
      // The two are not locked at once, because another thread may merge the other way.
      let (known, mine, version, record) = try origin.changing(own) { () throws(QueryError) in
        (origin.progress.withLock { $0 }, own.unfollowed, own.version, log.versions?.record)
      }
      guard let record else { throw BranchProblem.dropped.error }
      let earlier = try memory.last(of: log.number)
      var merger = ContextMerger(parent: parent, known, mine: mine.snapshot, mine.companion)
      merger.since = try merged(earlier, record, merger)
      // Also where nothing is added up, because the schema may say so later.
      let next = BranchMerge(
        source: log.number, target: other.log?.number ?? 0, at: 0, .version(version), base: record.base,
        hasNumbers: merger.hasChangedNumbers || earlier?.hasNumbers ?? false)
      let report = try origin.asWriter(of: target) { () throws(QueryError) -> MergeReport? in
        // Another thread may have merged it meanwhile.
        if try memory.last(of: log.number) != earlier { return nil }
        return try merge(merger, next, origin: name, action: action)
      }
      if let report { return report }
    }
  }

  /// Returns the version of the branch that was merged last; nil where there is none, or it has added to no number.
  ///
  /// - Throws: ``QueryError`` where that can no longer be told apart from what it has added since.
  private func merged(
    _ earlier: BranchMerge?, _ record: BranchRecord, _ merger: ContextMerger
  ) throws(QueryError) -> Snapshot? {
    guard let earlier else { return nil }
    if case .version(let number) = earlier.content {
      if earlier.base == record.base {
        do throws(PastProblem) {
          let version = try PastReader(database: own).version(at: .version(number))
          // One that is made of histories has other types as they are now.
          if version.records == nil { return version.snapshot }
        } catch {
          if case .failed(let failure) = error { throw failure }
        }
      }
    }
    // What it has changed in numbers has all come since.
    if !earlier.hasNumbers { return nil }
    // It may have taken back what it has added.
    if merger.addsAnywhere { throw BranchProblem.mergedBefore(record.name).error }
    return nil
  }

  /// Called by the writer of the target.
  private func merge(
    _ merger: ContextMerger, _ next: BranchMerge, origin name: String?, action: String?
  ) throws(QueryError) -> MergeReport {
    func merged(
      into theirs: Snapshot, _ companion: (any SnapshotCompanion)?
    ) throws(QueryError) -> ContextMerger.Merged {
      let merged = try merger.merge(into: theirs, companion, choice, parent.numbering)
      if merged.isOpen { throw EditingProblem.conflicts(merged.conflicts, .saving(choice)).error }
      return merged
    }
    var known: (theirs: Snapshot, merged: ContextMerger.Merged)?
    // What it has in conflict with its database is not for the two to decide.
    let step = EditingProblem.Step.preparing(branch: other.log?.versions?.record.name)
    // The rows of this base have the same numbers in a version that is not older.
    try other.advance(target, as: step) { (theirs, companion) throws(QueryError) in
      known = (theirs, try merged(into: theirs, companion))
    }
    let theirs = target.unfollowed
    let result =
      if let known, known.theirs === theirs.snapshot { known.merged } else {
        try merged(into: theirs.snapshot, theirs.companion)
      }
    let applied = DatabaseChanges(from: result.theirs, to: result.snapshot)
    // What is added to an entity that the target does not have is not there.
    let isPart = result.conflicts.contains { $0.kind != .field && $0.resolved == .theirs }
    let next = isPart ? next.since(0, .unknown) : next
    if !applied.isEmpty {
      try PastWriter(database: target).noting(name, action) { () throws(QueryError) in
        try memory.noting(next) { () throws(QueryError) in
          try ContextMerger.publish(result.snapshot, result.companion, in: target)
        }
      }
    }
    return MergeReport(version: target.version, applied: applied, conflicts: result.conflicts)
  }
}
