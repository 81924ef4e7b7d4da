import GQLCatalog

/// An index over the rows of one table: one version of it, written only by the transaction whose stamp it carries.
///
/// Each kind of the catalog has a class that conforms. ``TableIndex`` holds them and forwards what is called for each
/// row. Requirements that most kinds have nothing to do for have defaults.
protocol EntityIndex: AnyObject, Sendable {
  var stamp: UInt64 { get }

  /// Makes an empty index.
  init(_ layout: StoreLayout.Index, stamp: UInt64)

  /// Makes an index with the entries of another, which shares its memory until one of them is written. `keys` lay the
  /// same cells in other columns; nil for the same columns.
  init(copying other: Self, keys: KeyLayout?, stamp: UInt64)

  /// The index as a table holds it.
  var inTable: TableIndex { get }

  // MARK: Entries

  /// Adds the entry of a row, whose cells are in the columns. `key` is scratch for a key.
  func insert(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>)

  /// Removes the entry of a row, whose cells must still be in the columns. `key` is scratch for a key.
  func remove(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>)

  /// Finds the row under a whole key without nulls; returns `PageLayout.noRow` where there is none.
  func find(_ key: UnsafePointer<Cell>, columns: UnsafePointer<ColumnReader>) -> UInt32

  /// Fills the index, which is empty, with the rows. Returns two rows with one key of a unique index, lower row first.
  /// Where the allowance ends the index is not to be used.
  func build(
    _ rows: IndexedRows, columns: UnsafePointer<ColumnReader>, _ allowance: WorkAllowance?
  ) -> (UInt32, UInt32)?

  // MARK: Work that is put off

  /// Returns whether the index has put off work that must be done before anybody reads it. Asked of kinds only that the
  /// catalog calls deferred.
  func needsSettling(_ table: Table) -> Bool

  /// Does the work that was put off. Where the allowance ends the index is not to be used.
  func settle(_ table: Table, _ allowance: WorkAllowance?)

  /// Indicates whether so much memory holds superseded entries that ``compact()`` is worth it.
  var needsCompaction: Bool { get }

  /// Drops superseded entries.
  func compact()

  /// Frees the memory that only writing needs.
  func trim()

  // MARK: Facts

  /// Returns the number of distinct keys; nil for an index without keys. `estimated` caches what is not known at once.
  func keyCount(_ columns: UnsafePointer<ColumnReader>, estimated: (() -> Double) -> Double) -> Double?

  /// Returns about how many rows are under a whole key without nulls; nil for an index that does not count them by itself.
  func count(under key: [Cell], columns: UnsafePointer<ColumnReader>) -> Int?

  /// Returns the part of an index that offers rows for what a column holds; nil for another kind of index.
  func candidates(_ column: ColumnID) -> CandidateColumn?

  /// The bytes held, those shared with other versions included.
  var byteCount: Int { get }

  /// Adds all memory that readers can reach.
  func hashMemory(into digest: inout MemoryDigest)

  /// Compares the index with the live rows of its table; returns what is wrong.
  func check(_ table: Table, as id: IndexID) -> [Inconsistency]
}

extension EntityIndex {
  func find(_ key: UnsafePointer<Cell>, columns: UnsafePointer<ColumnReader>) -> UInt32 { PageLayout.noRow }
  func needsSettling(_ table: Table) -> Bool { false }
  func settle(_ table: Table, _ allowance: WorkAllowance?) {}
  var needsCompaction: Bool { false }
  func compact() {}
  func trim() {}
  func keyCount(_ columns: UnsafePointer<ColumnReader>, estimated: (() -> Double) -> Double) -> Double? { nil }
  func count(under key: [Cell], columns: UnsafePointer<ColumnReader>) -> Int? { nil }
  func candidates(_ column: ColumnID) -> CandidateColumn? { nil }

  /// Returns a version that another transaction may write.
  func copy(keys: KeyLayout? = nil, stamp: UInt64) -> TableIndex {
    Self(copying: self, keys: keys, stamp: stamp).inTable
  }
}

/// The rows that an index is built of, ascending. A concrete type, so that builds run over it without witnesses.
struct IndexedRows: RandomAccessCollection {
  let count: Int
  /// Nil for all rows below ``count``.
  private let list: [UInt32]?

  init(below count: Int) {
    self.count = count
    list = nil
  }

  init(_ list: [UInt32]) {
    count = list.count
    self.list = list
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  @inline(__always)
  subscript(place: Int) -> UInt32 { list.map { $0[place] } ?? UInt32(truncatingIfNeeded: place) }
}
