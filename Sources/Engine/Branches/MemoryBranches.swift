import GQLBase
import GQLStore

/// The branches of a database in memory: kept as long as the database is.
final class MemoryBranches: BranchStorage {
  private let branches = Lock<[Int64: BranchVersions]>([:])
  private let next = Lock<BranchRebase?>(nil)
  private let known = Lock<BranchMerges>(BranchMerges())
  /// The number of the branch that was made last. No other one gets it, because contexts remember it.
  private let last = Lock<Int64>(0)

  var count: Int { branches.withLock { $0.count } }

  var rebasedNext: BranchRebase? {
    get { next.withLock { $0 } }
    set { next.withLock { $0 = newValue } }
  }

  func records() -> [BranchRecord] {
    branches.withLock { $0.values.map(\.record).sorted { $0.number < $1.number } }
  }

  func versions(
    of number: Int64, beside newest: Snapshot, version: Int64
  ) throws(QueryError) -> BranchVersions {
    guard let found = branches.withLock({ $0[number] }) else { throw BranchProblem.dropped.error }
    return found
  }

  /// Returns none: the database of a branch keeps those that it has made.
  func commits(of number: Int64) -> [Commit] { [] }

  func add(_ record: BranchRecord, at newest: Snapshot) -> BranchRecord {
    let number = last.withLock { last in
      last += 1
      return last
    }
    return branches.withLock { branches in
      let made = BranchRecord(
        number: number, name: record.name, base: record.base, version: record.version,
        commits: record.commits, time: record.time)
      branches[made.number] = BranchVersions(record: made, base: newest, mine: newest)
      return made
    }
  }

  func append(
    _ commits: [Commit], to number: Int64, _ versions: BranchVersions, merging: BranchMerge?
  ) throws(QueryError) {
    try put(versions)
    let records = branches.withLock { $0.mapValues(\.record) }
    known.withLock { known in
      for commit in commits { known.note(commit, of: number) }
      if let merging { known.add(merging, from: records[merging.source]) }
    }
  }

  func merges() -> BranchMerges { known.withLock { $0 } }

  func rebase(_ record: BranchRecord, base: Snapshot, mine: Snapshot, as step: BranchStep) throws(QueryError) {
    let old = try put(BranchVersions(record: record, base: base, mine: mine))
    known.withLock { known in
      known.note(step, of: record.number, at: record.version)
      known.follow(old.record, to: record)
    }
  }

  func note(_ merge: BranchMerge) {
    let source = branches.withLock { $0[merge.source]?.record }
    known.withLock { $0.add(merge, from: source) }
  }

  func note(_ step: BranchStep, of number: Int64, at version: Int64) {
    known.withLock { $0.note(step, of: number, at: version) }
  }

  /// Puts versions in the place of those that are there, and returns these.
  @discardableResult
  private func put(_ versions: BranchVersions) throws(QueryError) -> BranchVersions {
    let old = branches.withLock { branches in
      guard let old = branches[versions.record.number] else { return nil as BranchVersions? }
      branches[versions.record.number] = versions
      return old
    }
    guard let old else { throw BranchProblem.dropped.error }
    return old
  }

  func remove(_ number: Int64) {
    branches.withLock { $0[number] = nil }
    known.withLock { $0.remove(number) }
  }

  /// Returns branches beside a version of the database with another layout.
  ///
  /// - Throws: ``QueryError`` where a branch does not fit that version.
  func moved(_ contents: [BranchContent], beside newest: Snapshot) throws(QueryError) -> [Int64: BranchVersions] {
    var made: [Int64: BranchVersions] = [:]
    for content in contents {
      do throws(ChangeProblem) {
        made[content.record.number] = try content.versions(beside: newest)
      } catch {
        throw BranchProblem.conflicts(branch: content.record.name, "its changes cannot be read").error
      }
    }
    return made
  }

  /// Puts others in the place of all branches.
  func replace(by moved: [Int64: BranchVersions]) { branches.withLock { $0 = moved } }
}
