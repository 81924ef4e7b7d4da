import GQLExecutor
import GQLStore

/// A query that is asked again and again, and tells what is new.
///
/// Whether a newer version can have another answer is first told by the pages of what the query looks at; only then it
/// runs, and its answer is compared with the last one.
package struct AnswerCursor<Entity: EntityModelProtocol> {
  /// What a query gave.
  package struct Answer {
    /// Nil if the type is not known, and so there is nothing.
    package let reading: QueryReading<Entity>?
    package let found: FoundRows
  }

  package let list: QueryList<Entity>
  private var seen: (trace: AnswerTrace, reads: ReadSet, snapshot: Snapshot?)?
  /// The version for which the query failed the last time that it ran, and why.
  private var failed: (snapshot: Snapshot?, error: any Error)?
  /// How often the query ran.
  package private(set) var runs = 0
  /// The data that the last answer depends on.
  private var footprint = Footprint.everything

  package init(_ list: QueryList<Entity>) { self.list = list }

  /// The data that the answer depends on, and the version of it; nil before there is one.
  package var dependence: (footprint: Footprint, snapshot: Snapshot)? {
    if failed != nil { return nil }
    return (seen?.snapshot).map { (footprint, $0) }
  }

  /// The answer of a newer version; nil if it is the last one.
  package mutating func advance(to context: Context) throws -> Answer? {
    let snapshot = context.storage.current
    if let failed {
      if failed.snapshot === snapshot { throw failed.error }
    } else if let seen {
      if seen.snapshot === snapshot { return nil }
      if let old = seen.snapshot, let snapshot, old.catalog.version == snapshot.catalog.version,
        seen.reads.isUntouched(from: old, to: snapshot)
      {
        // What only the old version holds need not be kept.
        self.seen = (seen.trace.moved(to: context), seen.reads, snapshot)
        return nil
      }
    }
    do {
      let answer = try run(context, snapshot)
      failed = nil
      return answer
    } catch {
      failed = (snapshot, error)
      throw error
    }
  }

  private mutating func run(_ context: Context, _ snapshot: Snapshot?) throws -> Answer? {
    runs += 1
    var trace = AnswerTrace(context)
    var reads = ReadSet()
    var found = FoundRows([])
    let taken = QueryFootprint()
    let reading = try QueryReading<Entity>.of(context)
    if let reading {
      let asked = AskedRelations(reading.schema)
      try AskedRelations.$current.withValue(asked) {
        found = try reading.found(list, taken)
        try reading.complete(&found, list.nested)
      }
      reading.trace(found, list, idsOnly: false, &trace)
      reading.note(list, &reads)
      reading.note(asked.relations, &reads)
    } else {
      reads.isUnknown = true
    }
    footprint = Self.footprint(taken, trace, reads, isPlain: list.nested.isEmpty)
    // After a failure the same answer is news.
    let isSame = failed == nil && seen.map { trace.isSame(as: $0.trace) } ?? false
    seen = (trace, reads, snapshot)
    return isSame ? nil : Answer(reading: reading, found: found)
  }

  /// The footprint that the run has taken, with what is read of its rows; else the types and columns that are looked at.
  private static func footprint(
    _ taken: QueryFootprint, _ trace: AnswerTrace, _ reads: ReadSet, isPlain: Bool
  ) -> Footprint {
    guard isPlain, var footprint = taken.footprint, trace.add(to: &footprint) else { return reads.footprint }
    return footprint
  }

  /// The entities of an answer.
  package func entities(_ answer: Answer) throws -> [Entity] {
    try answer.reading?.entities(answer.found, list.nested, only: list.attributes) ?? []
  }
}
