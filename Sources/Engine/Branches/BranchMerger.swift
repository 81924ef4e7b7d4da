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
      let (progress, mine, version, record, known) = try origin.changing(own) { () throws(QueryError) in
        let known = try memory.known()
        return (origin.progress.withLock { $0 }, own.unfollowed, own.version, log.versions?.record, known)
      }
      guard let record else { throw BranchProblem.dropped.error }
      let last = known.last(of: log.number, in: memory.target)
      var merger = ContextMerger(parent: parent, progress, mine: mine.snapshot, mine.companion)
      let ancestor = try ancestor(last, known, record, merger)
      merger.ancestor = ancestor?.version
      // Also where nothing is added up, because the schema may say so later.
      let next = BranchMerge(
        source: log.number, target: memory.target, at: 0, .version(version), base: record.base,
        hasNumbers: merger.hasChangedNumbers || last?.hasNumbers ?? false)
      let report = try origin.asWriter(of: target) { () throws(QueryError) -> MergeReport? in
        // Another thread may have merged meanwhile.
        if try memory.known() != known { return nil }
        return try merge(merger, last, next, ofTarget: ancestor?.branch == memory.target, origin: name, action: action)
      }
      if let report { return report }
    }
  }

  /// Returns the newest version that both sides have by merges; nil where there is none that can be told, or needs to be.
  ///
  /// - Throws: ``QueryError`` where numbers that were added before cannot be told apart from those that were added since.
  private func ancestor(
    _ last: BranchMerge?, _ known: BranchMerges, _ record: BranchRecord, _ merger: ContextMerger
  ) throws(QueryError) -> (version: MergeVersions.Ancestor, branch: Int64)? {
    var hasNumbers = last?.hasNumbers ?? false
    if last?.content != .unknown, let found = known.ancestor(of: record.number, in: memory.target) {
      let isAdded = found.hasNumbers && merger.addsAnywhere
      if !(found.isPart && isAdded), found.base == record.base, let version = try version(of: found) {
        return (version, found.branch)
      }
      hasNumbers = hasNumbers || found.hasNumbers
    }
    // What it has changed in numbers has all come since.
    if !hasNumbers { return nil }
    // It may have taken back what it has added.
    if merger.addsAnywhere { throw BranchProblem.mergedBefore(record.name).error }
    return nil
  }

  /// Returns a version as it was; nil where it is no longer there.
  private func version(of found: MergeAncestor) throws(QueryError) -> MergeVersions.Ancestor? {
    var (database, numbering) = (own, MergeVersions.Ancestor.Numbering.mine)
    if found.branch == memory.target {
      (database, numbering) = (target, .other)
    } else if found.branch != origin.log?.number {
      guard let third = try parent.branchTable.branch(found.branch, of: parent) else { return nil }
      (database, numbering) = (third.database, .other)
    }
    do throws(PastProblem) {
      let version = try PastReader(database: database).version(at: .version(found.version))
      // One that is made of histories has other types as they are now.
      return version.records == nil ? MergeVersions.Ancestor(version.snapshot, numbering) : nil
    } catch {
      if case .failed(let failure) = error { throw failure }
      return nil
    }
  }

  /// Called by the writer of the target.
  ///
  /// - Parameter isOfTarget: Whether what both sides have is a version of the target.
  private func merge(
    _ merger: ContextMerger, _ last: BranchMerge?, _ next: BranchMerge, ofTarget isOfTarget: Bool, origin name: String?,
    action: String?
  ) throws(QueryError) -> MergeReport {
    func merged(
      _ merger: ContextMerger, into theirs: Snapshot, _ companion: (any SnapshotCompanion)?
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
      known = (theirs, try merged(merger, into: theirs, companion))
    }
    let theirs = target.unfollowed
    var merger = merger
    // As long as the target has the same base, its rows have the same numbers.
    if known == nil, isOfTarget, let ancestor = merger.ancestor, other.log?.versions?.record.base == next.base {
      merger.ancestor = MergeVersions.Ancestor(ancestor.version, .theirs)
    }
    let result =
      if let known, known.theirs === theirs.snapshot { known.merged } else {
        try merged(merger, into: theirs.snapshot, theirs.companion)
      }
    let applied = result.applied
    // What is added to an entity that the target does not have is not there.
    let next = result.leavesNumbersOut ? next.since(0, next.afterDecisions) : next
    if !applied.isEmpty {
      try PastWriter(database: target).noting(name, action) { () throws(QueryError) in
        try memory.noting(next) { () throws(QueryError) in
          try ContextMerger.publish(result.snapshot, result.companion, in: target)
        }
      }
    } else if last.map({ $0.version != next.version || $0.base != next.base }) ?? true {
      try memory.noting(next, nil)
    }
    return MergeReport(version: target.version, applied: applied, conflicts: result.conflicts)
  }
}
