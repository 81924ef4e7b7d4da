import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// A list of the fragments that select nothing where they stand, because no entity there is of their type.
///
/// Each is checked once, if no other place of the operation selects by it.
struct UnreachedFragments {
  /// A fragment that is to be checked, as a selection from its own type.
  private struct Waiting {
    var type: EntityTypeID
    var source: SelectionSource
    var range: SourceRange
  }

  /// Holds the places of the selection sets that select something.
  private var reached: Set<SourceRange> = []
  /// Holds the places of the selection sets that are checked, or will be.
  private var found: Set<SourceRange> = []
  private var waiting: [Waiting] = []

  /// Returns whether a fragment selects something; if not, it waits to be checked.
  mutating func reaches(_ place: FragmentPlace, _ source: SelectionSource, at range: SourceRange) -> Bool {
    guard let set = source.set else { return place.isThere }
    if place.isThere {
      reached.insert(set.range)
    } else if case .entity(let type) = place.parent, !reached.contains(set.range), found.insert(set.range).inserted {
      waiting.append(Waiting(type: type, source: source, range: range))
    }
    return place.isThere
  }

  /// Runs `body`, and then checks the fragments that it came upon and that nothing has reached.
  static func checking<Output>(_ binder: Binder, _ body: () -> Output) -> Output {
    let outer = binder.unreached.waiting
    binder.unreached.waiting = []
    let result = body()
    let waiting = binder.unreached.waiting
    binder.unreached.waiting = outer
    for fragment in waiting where !binder.unreached.reached.contains(fragment.source.set?.range ?? fragment.range) {
      guard !binder.isExhausted else { break }
      // It is bound for its problems and for what it uses; nothing of it is kept.
      let known = (binder.query.sets.count, binder.query.selections.count, binder.groups)
      let frame = binder.frames.last?.set
      let paging = frame.flatMap { binder.query[$0].paging }
      binder.nested(at: fragment.range, ()) { _ = $0.bindFields([fragment.source], of: fragment.type) }
      binder.query.sets.removeLast(binder.query.sets.count - known.0)
      binder.query.selections.removeLast(binder.query.selections.count - known.1)
      binder.groups = known.2
      // A cursor in it is none of the list.
      if let frame { binder.query[frame].paging = paging }
    }
    return result
  }
}
