import GQLCatalog
import GQLStore

/// A set of columns of a type, and whether entities that come and go count. Columns of high numbers share a bit, so that
/// more may be in it than was put in.
struct ColumnMask: OptionSet, Hashable {
  let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }
  init(_ column: Int) { rawValue = 1 << UInt64(min(max(column, 0), 62)) }
  init(_ column: ColumnID) { self.init(Int(column.index)) }

  /// Entities that come and go.
  static let members = ColumnMask(rawValue: 1 << 63)
  static let all = ColumnMask(rawValue: .max)
}

/// A description of the data that an answer depends on. Data that is not in it cannot change the answer; data that is in
/// it may.
struct Footprint {
  /// Places where a change is looked up, by the hash of what is looked up.
  struct Place: Hashable {
    var key: UInt64
    /// What of a row must change to be in it.
    var columns: ColumnMask
  }
  /// The images of values of an ordered column.
  struct Interval: Hashable {
    var type: Int
    var column: Int
    var lower: UInt64
    var upper: UInt64
    var columns: ColumnMask
  }
  private(set) var places: [UInt64: ColumnMask] = [:]
  private(set) var intervals: [Interval] = []
  /// Columns by whose values rows are looked up, with the type in the upper half.
  private(set) var keyColumns: Set<UInt64> = []
  /// Indicates whether any change may change the answer.
  var isEverything = false

  /// Adds rows of a type.
  mutating func insert(row: UInt32, of type: EntityTypeID, _ columns: ColumnMask) {
    insert(Self.key(row: row, of: Int(type.index)), columns)
  }

  /// Adds all rows of a type.
  mutating func insert(allOf type: EntityTypeID, _ columns: ColumnMask) {
    if !columns.isEmpty { insert(Self.key(allOf: Int(type.index)), columns) }
  }

  /// Adds the rows that have, or had, a value in a column; nil for null.
  mutating func insert(_ value: UInt64?, in column: ColumnID, of type: EntityTypeID, _ columns: ColumnMask) {
    keyColumns.insert(Self.keyColumn(Int(column.index), of: Int(type.index)))
    insert(
      Self.key(value, in: Int(column.index), of: Int(type.index)), columns.union([.members, ColumnMask(column)]))
  }

  /// Adds the rows that have, or had, a value within bounds in a column.
  mutating func insert(
    _ bounds: ClosedRange<UInt64>, in column: ColumnID, of type: EntityTypeID, _ columns: ColumnMask
  ) {
    intervals.append(
      Interval(
        type: Int(type.index), column: Int(column.index), lower: bounds.lowerBound, upper: bounds.upperBound,
        columns: columns.union([.members, ColumnMask(column)])))
  }

  private mutating func insert(_ key: UInt64, _ columns: ColumnMask) {
    places[key, default: []].formUnion(columns)
  }

  /// Bytes that it takes in an index, about.
  var byteCount: Int { places.count * 64 + intervals.count * 96 }

  // MARK: - Keys

  // Two that are different may have one key: then more is looked at than needed.

  static func key(row: UInt32, of type: Int) -> UInt64 {
    KeyHash.combine(KeyHash.word(UInt64(row), 1), UInt64(bitPattern: Int64(type)) &* 3)
  }

  static func key(allOf type: Int) -> UInt64 { KeyHash.word(UInt64(bitPattern: Int64(type)), 2) }

  static func key(_ value: UInt64?, in column: Int, of type: Int) -> UInt64 {
    KeyHash.combine(KeyHash.word(keyColumn(column, of: type), 3), value ?? 0x6E75_6C6C)
  }

  static func keyColumn(_ column: Int, of type: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: type) << 32 | UInt64(UInt32(truncatingIfNeeded: column))
  }
}
