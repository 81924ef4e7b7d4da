import GQLCatalog
import GQLStore

/// A set of columns of a type, and whether entities that come and go count. Columns of high numbers share a bit, so that
/// more may be in it than was put in.
package struct ColumnMask: OptionSet, Hashable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
  package init(_ column: Int) { rawValue = 1 << UInt64(min(max(column, 0), 62)) }
  package init(_ column: ColumnID) { self.init(Int(column.index)) }

  /// Entities that come and go.
  package static let members = ColumnMask(rawValue: 1 << 63)
  package static let all = ColumnMask(rawValue: .max)
}

/// A description of the data that an answer depends on. Data that is not in it cannot change the answer; data that is in
/// it may.
package struct Footprint {
  /// A key where a change is looked up.
  package struct Place: Equatable {
    package var key: UInt64
    package var columns: ColumnMask
  }
  /// The images of values of an ordered column.
  package struct Interval: Hashable {
    package var type: Int
    package var column: Int
    package var lower: UInt64
    package var upper: UInt64
    package var columns: ColumnMask
  }
  /// Keys where a change is looked up, with what of a row must change to be in it. A key may stand there twice.
  package private(set) var places: ContiguousArray<Place> = []
  package private(set) var intervals: [Interval] = []
  /// Columns by whose values rows are looked up, with the type in the upper half.
  package private(set) var keyColumns: ContiguousArray<UInt64> = []
  /// Indicates whether any change may change the answer.
  package var isEverything = false

  package init() {}

  /// Any change of anything.
  package static var everything: Footprint {
    var footprint = Footprint()
    footprint.isEverything = true
    return footprint
  }

  /// Makes room for more places.
  mutating func reserve(_ count: Int) { places.reserveCapacity(places.count + count) }

  /// Adds rows of a type.
  package mutating func insert(row: UInt32, of type: EntityTypeID, _ columns: ColumnMask) {
    insert(Self.key(row: row, of: Int(type.index)), columns)
  }

  /// Adds all rows of a type.
  package mutating func insert(allOf type: EntityTypeID, _ columns: ColumnMask) {
    if !columns.isEmpty { insert(Self.key(allOf: Int(type.index)), columns) }
  }

  /// Adds the rows that have, or had, a value in a column; nil for null.
  package mutating func insert(_ value: UInt64?, in column: ColumnID, of type: EntityTypeID, _ columns: ColumnMask) {
    let keyColumn = Self.keyColumn(Int(column.index), of: Int(type.index))
    if !keyColumns.contains(keyColumn) { keyColumns.append(keyColumn) }
    insert(
      Self.key(value, in: Int(column.index), of: Int(type.index)), columns.union([.members, ColumnMask(column)]))
  }

  /// Adds the rows that have, or had, a value within bounds in a column.
  package mutating func insert(
    _ bounds: ClosedRange<UInt64>, in column: ColumnID, of type: EntityTypeID, _ columns: ColumnMask
  ) {
    intervals.append(
      Interval(
        type: Int(type.index), column: Int(column.index), lower: bounds.lowerBound, upper: bounds.upperBound,
        columns: columns.union([.members, ColumnMask(column)])))
  }

  private mutating func insert(_ key: UInt64, _ columns: ColumnMask) {
    if let last = places.indices.last, places[last].key == key {
      places[last].columns.formUnion(columns)
    } else {
      places.append(Place(key: key, columns: columns))
    }
  }

  /// Leaves each key once, where there may be many that repeat.
  mutating func unify() {
    if places.count <= Self.fewPlaces { return }
    let sorted = places.sorted { ($0.key, $0.columns.rawValue) < ($1.key, $1.columns.rawValue) }
    places.removeAll(keepingCapacity: true)
    for place in sorted { insert(place.key, place.columns) }
  }

  private static let fewPlaces = 64

  // MARK: - Keys

  // Two that are different may have one key: then more is looked at than needed.

  package static func key(row: UInt32, of type: Int) -> UInt64 {
    KeyHash.combine(KeyHash.word(UInt64(row), 1), UInt64(bitPattern: Int64(type)) &* 3)
  }

  package static func key(allOf type: Int) -> UInt64 { KeyHash.word(UInt64(bitPattern: Int64(type)), 2) }

  package static func key(_ value: UInt64?, in column: Int, of type: Int) -> UInt64 {
    KeyHash.combine(KeyHash.word(keyColumn(column, of: type), 3), value ?? 0x6E75_6C6C)
  }

  package static func keyColumn(_ column: Int, of type: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: type) << 32 | UInt64(UInt32(truncatingIfNeeded: column))
  }
}
