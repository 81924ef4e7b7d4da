import GQLBase

/// How many targets the elements of a relation have.
package struct FanOut: Sendable, Hashable {
  /// Over all live sources, those without a target included.
  package var mean: Double
  /// The largest, or an upper bound of it.
  package var maximum: Int
  /// Sources with at least one target.
  package var nonEmpty: Int
  package init(mean: Double, maximum: Int, nonEmpty: Int) {
    self.mean = mean
    self.maximum = maximum
    self.nonEmpty = nonEmpty
  }
}

/// An interval of an index: equal leading components, then at most one bounded component.
package struct KeyRange: Sendable, Hashable {
  package struct Bound: Sendable, Hashable {
    package var value: Value
    package var isInclusive: Bool
    package init(_ value: Value, isInclusive: Bool) {
      self.value = value
      self.isInclusive = isInclusive
    }
  }
  package var equal: [Value]
  package var lower: Bound?
  package var upper: Bound?
  /// A prefix of the text of the component behind `equal`; excludes bounds.
  package var prefix: Value?
  package init(equal: [Value] = [], lower: Bound? = nil, upper: Bound? = nil, prefix: Value? = nil) {
    self.equal = equal
    self.lower = lower
    self.upper = upper
    self.prefix = prefix
  }
}

/// What delivers the entities of a type in the order of their ids.
package enum IDOrder: Sendable, Hashable {
  /// Their rows: ids ascend with insertion.
  case rows
  /// An ordered index over ids.
  case index
  /// Nothing yet. An index is built once a plan would be better with it.
  case pending
  /// Nothing but a sort.
  case none
}

/// What the planner may ask about the data. The store answers; tests inject figures.
///
/// Nothing here may be asked once a row: each call may cost a few hundred nanoseconds.
package protocol Statistics: Sendable {
  /// Live entities.
  func rowCount(_ type: EntityTypeID) -> Int
  /// Distinct non-null values, exact where a unique or hash index can tell, estimated elsewhere; nil if unknown.
  func distinctCount(_ type: EntityTypeID, _ column: ColumnID) -> Double?
  func nullCount(_ type: EntityTypeID, _ column: ColumnID) -> Int
  func fanOut(_ relation: RelationID) -> FanOut
  /// The exact number of rows in a range of a B-tree or under a key of a hash index, about the number in a range of ids;
  /// nil if the index cannot tell.
  func cardinality(_ index: IndexID, _ range: KeyRange) -> Int?
  /// Deleted entities that are kept.
  func deletedCount(_ type: EntityTypeID) -> Int
  /// About how many rows of a column of times (`_createdAt`, `_updatedAt`) are within the range; nil if unknown.
  func timeCardinality(_ type: EntityTypeID, _ column: ColumnID, _ range: KeyRange) -> Int?
  /// The share of a column's pages of rows with values in the range, about; nil if it is unknown. Numbers and times only.
  func pageShare(_ type: EntityTypeID, _ column: ColumnID, _ range: KeyRange) -> Double?
  /// Indicates whether a column's values seem to ascend with insertion. Numbers and times only.
  func ascends(_ type: EntityTypeID, _ column: ColumnID) -> Bool
  /// About how many rows a full-text index finds in these of its columns for a query; nil if it cannot tell.
  func matchCount(_ index: IndexID, _ columns: [ColumnID], _ query: Text) -> Int?
  /// About how many rows a trigram index offers for one of its columns; nil if it cannot tell.
  func trigramCount(_ index: IndexID, _ column: ColumnID, _ query: CandidateQuery) -> Int?
  /// Indicates whether an index is not built yet, so that no plan may use it.
  func isPending(_ index: IndexID) -> Bool
  /// What delivers a type's entities in the order of their ids. Plans give the same answer whatever it says.
  func idOrder(_ type: EntityTypeID) -> IDOrder
  /// Changes by more than a factor of two in any row count give another number, and so does another order of ids; plans are cached under it.
  var generation: UInt64 { get }
}

extension Statistics {
  package func isPending(_ index: IndexID) -> Bool { false }
  package func idOrder(_ type: EntityTypeID) -> IDOrder { .none }
  package func deletedCount(_ type: EntityTypeID) -> Int { 0 }
  package func timeCardinality(_ type: EntityTypeID, _ column: ColumnID, _ range: KeyRange) -> Int? { nil }
  package func pageShare(_ type: EntityTypeID, _ column: ColumnID, _ range: KeyRange) -> Double? { nil }
  package func ascends(_ type: EntityTypeID, _ column: ColumnID) -> Bool { false }
  package func matchCount(_ index: IndexID, _ columns: [ColumnID], _ query: Text) -> Int? { nil }
  package func trigramCount(_ index: IndexID, _ column: ColumnID, _ query: CandidateQuery) -> Int? { nil }
}
