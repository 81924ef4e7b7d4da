import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore

/// What point mutations have committed behind the published version, and nobody has looked at yet.
///
/// Publishing a version costs little, but whatever is written behind it is copied first: some twenty pages for a
/// statement with links. As long as nobody looks, one statement after another is applied to the same pages instead, and
/// whoever looks next publishes them together. A statement that fails half way must leave nothing, though its pages are
/// those of the statements before it: those are applied again, to the published version. So they are kept, as programs
/// and values, for as long as applying them again is a matter of milliseconds.
///
/// Used under the lock of the database's state.
final class OpenVersion {
  private struct Statement {
    var program: MutationProgram
    var context: MutationContext
  }
  /// Together with ``maximumWork``, what bounds the memory of two versions, and how long others wait for a recovery.
  private static let maximumStatements = 2048
  /// Nanoseconds.
  private static let maximumWork: UInt64 = 20_000_000

  /// The published version.
  private let base: Snapshot
  private let fold: TextFold
  private var mutator: Mutator
  private var journal: [Statement] = []
  /// How often another program followed: what is not prepared has one of its own, which the journal keeps.
  private var programs = 0
  private static let maximumPrograms = 128
  /// Nanoseconds that the statements took.
  private var work: UInt64 = 0
  private var isRecovered = false
  /// Tells whether a statement that failed half way could not be taken back: no version can be made of it then.
  private(set) var isLost = false
  /// Statements that were recorded, and those of them since a version was made.
  private var recorded = 0
  private var uncut = 0
  /// The number of the last transaction in the published version, where changes are recorded.
  var published: Int64
  /// A version that was cut while there were no later statements, and the number of its last transaction.
  private var lastCut: (snapshot: Snapshot, version: Int64)?

  /// Tells whether each statement's changes are recorded, and taken after it.
  let isRecording: Bool
  /// Tells whether statements are kept, to be applied again. Where they are not, they are taken back by their changes.
  private let isJournaled: Bool

  /// - Parameter isRecording: Whether somebody is told of the changes of each statement.
  init(_ base: Snapshot, fold: @escaping TextFold, isRecording: Bool) {
    self.base = base
    self.fold = fold
    published = 0
    self.isRecording = isRecording
    isJournaled = true
    mutator = Self.mutator(base, fold, isRecording)
  }

  /// - Parameter published: The number of the last transaction in `base`.
  init(_ base: Snapshot, fold: @escaping TextFold, recordingAfter published: Int64) {
    self.base = base
    self.fold = fold
    self.published = published
    isRecording = true
    isJournaled = false
    mutator = Self.mutator(base, fold, true)
  }

  private static func mutator(_ base: Snapshot, _ fold: @escaping TextFold, _ isRecording: Bool) -> Mutator {
    let transaction = WriteTransaction(base, fold: fold)
    if isRecording { transaction.beginRecording() }
    return Mutator(continuing: transaction)
  }

  /// Returns the changes of the last statement.
  func takeChanges() -> ChangeSet { mutator.transaction.takeChanges() }

  /// The version with all statements so far; more may follow.
  func cut() -> Snapshot {
    uncut = 0
    return mutator.transaction.snapshot(compacting: false)
  }

  /// Cuts the version with all statements so far, the last of which has a number; see ``takeCut(through:)``.
  func cut(through version: Int64) { lastCut = (cut(), version) }

  /// The version that was cut with the transactions up to one; nil where it was another.
  func lastCut(through version: Int64) -> Snapshot? { lastCut?.version == version ? lastCut?.snapshot : nil }

  /// Returns the version that was cut with the transactions up to one, and forgets it; nil where it was another.
  func takeCut(through version: Int64) -> Snapshot? {
    guard let cut = lastCut(through: version) else { return nil }
    lastCut = nil
    return cut
  }

  /// The version with all statements but the last ones, which had these changes; more may follow.
  ///
  /// - Throws: An error where a change cannot be taken back, which no valid change set causes; see ``isLost``.
  func cut(without commits: ArraySlice<Commit>) throws(QueryError) -> Snapshot {
    let whole = cut()
    if commits.isEmpty { return whole }
    let transaction = WriteTransaction(whole, fold: fold)
    for commit in commits.reversed() {
      do throws(ChangeProblem) {
        try transaction.apply(try commit.changes.inverse())
      } catch {
        isLost = true
        throw QueryError(
          code: "storage-failed", "a change that is not kept could not be taken back", help: "reopen the database")
      }
    }
    return transaction.snapshot(compacting: false)
  }

  /// The number of statements.
  var count: Int { journal.count }

  /// Indicates whether a version is to be cut with the next commit, so that none needs to be made of what is not kept.
  var isCutDue: Bool { uncut >= Self.maximumStatements / 2 }

  /// Returns whether it is to be published before the next statement. To take many statements back is put off until there
  /// are many more that stay.
  ///
  /// - Parameter unkept: The number of statements that would be taken back.
  func isFull(unkept: Int64 = 0) -> Bool {
    if !isJournaled { return uncut >= Self.maximumStatements + 8 * Int(clamping: unkept) }
    return isRecovered || journal.count >= Self.maximumStatements || programs >= Self.maximumPrograms
      || work >= Self.maximumWork
  }

  /// Whether what is superseded is to be left behind, which is not done while others wait. Looked at behind the first
  /// statement and then once in a while: a point mutation supersedes a few kilobytes at most.
  var needsCompaction: Bool { (journal.count + recorded) & 15 == 1 && mutator.transaction.needsCompaction }

  /// Applies a statement and appends `{"key":answer}`, or nothing where its field is left out; false where it reaches
  /// more than a point mutation may, and nothing was done.
  ///
  /// - Throws: why the statement is refused; nothing was done then.
  func apply(
    _ program: MutationProgram, _ context: MutationContext, into output: inout ByteBuffer
  ) throws(OpenVersionProblem) -> Bool {
    let start = MonotonicClock.now
    let end = output.count
    do {
      mutator.transaction.now = context.now
      _ = try mutator.apply(program, context, into: &output)
    } catch {
      // The view before the recovery is the one in whose words the problem is.
      let problem = OpenVersionProblem(problem: error, view: mutator.lastView)
      let isOutgrown = mutator.isOutgrown
      output.truncate(to: end)
      if mutator.hasWritten { recover() }
      if isOutgrown { return false }
      throw problem
    }
    if mutator.hasWritten, !isJournaled {
      recorded += 1
      uncut += 1
    } else if mutator.hasWritten {
      if journal.last?.program !== program { programs += 1 }
      journal.append(Statement(program: program, context: context.unlimited))
    }
    work += MonotonicClock.now - start
    return true
  }

  /// Applies what was committed to the published version again, in the place of what a statement has left half done.
  private func recover() {
    isRecovered = true
    if !isJournaled { return undo() }
    mutator = Self.mutator(base, fold, isRecording)
    var answer = ByteBuffer(capacity: 256)
    for statement in journal {
      answer.removeAll()
      mutator.transaction.now = statement.context.now
      do {
        _ = try mutator.apply(statement.program, statement.context, into: &answer)
      } catch {
        // Invariant: a point mutation depends on nothing but the data, its values and its instant.
        preconditionFailure("what was committed cannot be applied again")
      }
    }
    // They were told of already.
    if isRecording { _ = takeChanges() }
  }

  /// Takes back what a statement has left half done.
  private func undo() {
    let transaction = mutator.transaction
    do throws(ChangeProblem) {
      try transaction.apply(try transaction.takeChanges().inverse())
    } catch {
      isLost = true
      return
    }
    _ = transaction.takeChanges()
    mutator = Mutator(continuing: transaction)
  }

  /// The version with all of it. It is not to be used afterwards.
  func publish() -> Snapshot {
    journal.isEmpty ? base : mutator.transaction.snapshot(compacting: false)
  }
}

/// Why a statement is refused, and the data in whose words that is said.
struct OpenVersionProblem: Error {
  var problem: MutationProblem
  var view: Snapshot
}

extension MutationContext {
  /// The same without limits, which were kept the first time.
  fileprivate var unlimited: MutationContext {
    MutationContext(parameters: parameters, now: now, provided: provided, parameterNames: parameterNames)
  }
}
