import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore

/// A version that point mutations are applied to, one after another, until somebody looks at the data.
///
/// Publishing a version costs little, but each page that is written after it is copied first: some twenty for a statement
/// with links. As long as nobody looks, one statement after another is applied to the same pages instead, and whoever
/// looks next publishes them together. A statement that fails half way must leave nothing, though its pages are those of
/// the statements before it: the inverse of what it has changed is applied.
///
/// Used under the lock of the database's state.
final class OpenVersion {
  /// Bounds the memory of two versions where changes are kept, because those that are not kept are taken back.
  private static let maximumKept = 2048
  /// Bounds the memory of two versions: the pages that a statement writes are copied once for all of them.
  private static let maximumUncut = 1 << 14

  /// The published version.
  private let base: Snapshot
  private let fold: TextFold
  @exclusivity(unchecked) private var mutator: Mutator
  /// Tells whether a statement that failed half way could not be taken back: no version can be made of it then.
  @exclusivity(unchecked) private(set) var isLost = false
  /// Statements that changed something, and those of them since a version was made.
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var uncut = 0
  /// The number of the last transaction in the published version, where changes are kept.
  @exclusivity(unchecked) private(set) var published: Int64
  /// The number of the published version that a statement has followed last.
  @exclusivity(unchecked) var followed: Int64 = -1
  /// A version that was cut while there were no later statements, and the number of its last transaction.
  @exclusivity(unchecked) private var lastCut: (snapshot: Snapshot, version: Int64)?

  /// Tells whether changes are kept, so that those that could not be are taken back.
  private let keepsChanges: Bool

  /// That of the published version, for which statements are planned; see ``Snapshot/generation``.
  @exclusivity(unchecked) private(set) var generation: UInt64

  /// - Parameter published: The number of the last transaction in `base`, where changes are kept.
  init(_ base: Snapshot, fold: @escaping TextFold, keepingAfter published: Int64? = nil) {
    self.base = base
    generation = base.generation
    self.fold = fold
    self.published = published ?? 0
    keepsChanges = published != nil
    let transaction = WriteTransaction(base, fold: fold)
    transaction.beginRecording()
    mutator = Mutator(continuing: transaction, isFresh: true)
  }

  /// Returns the changes of the last statement. After each that changed something, they are taken or forgotten.
  func takeChanges() -> ChangeSet { mutator.transaction.takeChanges() }

  /// Forgets the changes of the last statement, where nobody keeps them or is told of them.
  func forgetChanges() { mutator.transaction.forgetChanges() }

  /// Notes that a version with the first statements is published, the last of which has a number.
  func notePublished(_ version: Snapshot, _ number: Int64) { (generation, published) = (version.generation, number) }

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

  /// Indicates whether a version is to be cut with the next commit, so that none needs to be made of what is not kept.
  var isCutDue: Bool { uncut >= Self.maximumKept / 2 }

  /// Returns whether it is to be published before the next statement. To take many statements back is put off until there
  /// are many more that stay.
  ///
  /// - Parameter unkept: The number of statements that would be taken back.
  func isFull(unkept: Int64 = 0) -> Bool {
    uncut >= (keepsChanges ? Self.maximumKept + 8 * Int(clamping: unkept) : Self.maximumUncut)
  }

  /// Indicates whether superseded memory is to be dropped, which is not done while others wait. Asked after the first
  /// statement and then once in a while: a point mutation supersedes a few kilobytes at most.
  var needsCompaction: Bool { count & 63 == 1 && mutator.transaction.needsCompaction }

  /// Applies a statement and appends `{"key":answer}`, or nothing where its field is left out; false where it reaches
  /// more than a point mutation may, and nothing was done.
  ///
  /// - Throws: why the statement is refused; nothing was done then.
  func apply(
    _ program: MutationProgram, _ context: MutationContext, into output: inout ByteBuffer
  ) throws(OpenVersionProblem) -> Bool {
    let end = output.count
    let mutator = mutator
    do {
      _ = try mutator.apply(program, context, into: &output)
    } catch {
      // The view before the recovery is the one in whose words the problem is.
      let problem = OpenVersionProblem(problem: error, view: mutator.lastView)
      let isOutgrown = mutator.isOutgrown
      output.truncate(to: end)
      if mutator.hasWritten { undo() }
      if isOutgrown { return false }
      throw problem
    }
    if mutator.hasWritten {
      count += 1
      uncut += 1
    }
    return true
  }

  /// Replaces a cell of a live row, and stamps the row.
  ///
  /// - Throws: where the store refuses it; nothing was done then.
  func replace(
    _ type: EntityTypeID, _ row: UInt32, _ column: ColumnID, with cell: Cell?, at time: Int64
  ) throws(StoreProblem) {
    mutator.transaction.now = time
    do throws(StoreProblem) {
      try mutator.replaceCell(DeletedRow(type: type, row: row), column, with: cell)
    } catch {
      if mutator.hasWritten { undo() }
      throw error
    }
    count += 1
    uncut += 1
  }

  /// The data with all statements so far. Valid until the next statement.
  var tables: WriteTransaction { mutator.transaction }

  /// Takes back what a statement has left half done.
  private func undo() {
    let transaction = mutator.transaction
    do throws(ChangeProblem) {
      try transaction.apply(try transaction.takeChanges().inverse())
    } catch {
      // Invariant: the inverse of what was recorded is well-formed, and of this version. A file still has what is kept.
      precondition(keepsChanges, "a statement could not be taken back")
      isLost = true
      return
    }
    transaction.forgetChanges()
    mutator = Mutator(continuing: transaction)
  }

  /// The version with all of it. It is not to be used afterwards.
  func publish() -> Snapshot { uncut == 0 ? base : mutator.transaction.snapshot(compacting: false) }
}

/// Why a statement is refused, and the data in whose words that is said.
struct OpenVersionProblem: Error {
  var problem: MutationProblem
  var view: Snapshot
}
