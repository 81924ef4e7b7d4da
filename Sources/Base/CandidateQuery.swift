/// A query for what a cell must hold, in the keys of an index that offers rows: all of some, and of each list of
/// alternatives at least one.
package struct CandidateQuery: Hashable, Sendable {
  /// Ascending, without repeats.
  package var keys: [UInt32]
  /// None of the lists is empty, and no query in them is.
  package var alternatives: [[CandidateQuery]]

  package init(keys: [UInt32] = [], alternatives: [[CandidateQuery]] = []) {
    self.keys = keys
    self.alternatives = alternatives
  }

  /// More would cost more than they sort out.
  static let maximumKeys = 48

  /// Both.
  package mutating func formIntersection(_ other: CandidateQuery) {
    keys = Set(keys + other.keys).sorted()
    if keys.count > Self.maximumKeys * 2 {
      keys = stride(from: 0, to: keys.count, by: 2).map { keys[$0] }
    }
    alternatives += other.alternatives
  }
}
