import GQLCatalog

/// An index as a table holds it: one of the kinds, or one that is not built yet.
///
/// Calls for each row are forwarded to concrete types; all others go through ``built``.
enum TableIndex {
  case hash(HashIndex)
  case btree(BTree)
  case fullText(FullTextIndex)
  case trigram(TrigramIndex)
  case elements(ElementIndex)
  /// One that is not built yet, see ``Snapshot/withPendingIndexes()``. It has no entries and is never read.
  case pending

  /// Makes an empty index.
  init(_ layout: StoreLayout.Index, stamp: UInt64) {
    self = Self.type(of: layout.kind).init(layout, stamp: stamp).inTable
  }

  private static func type(of kind: IndexDescriptor.Kind) -> any EntityIndex.Type {
    switch kind {
    case .hash: HashIndex.self
    case .btree: BTree.self
    case .fullText: FullTextIndex.self
    case .trigram: TrigramIndex.self
    case .elements: ElementIndex.self
    }
  }

  /// The index; nil while it is not built.
  var built: (any EntityIndex)? {
    switch self {
    case .hash(let index): index
    case .btree(let index): index
    case .fullText(let index): index
    case .trigram(let index): index
    case .elements(let index): index
    case .pending: nil
    }
  }

  var isPending: Bool { if case .pending = self { true } else { false } }

  // MARK: - For each row

  /// Indicates whether the transaction with a stamp may write the index.
  @inline(__always)
  func isOwned(by stamp: UInt64) -> Bool {
    switch self {
    case .hash(let index): index.stamp == stamp
    case .btree(let index): index.stamp == stamp
    case .fullText(let index): index.stamp == stamp
    case .trigram(let index): index.stamp == stamp
    case .elements(let index): index.stamp == stamp
    case .pending: true
    }
  }

  @inline(__always)
  func insert(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    switch self {
    case .hash(let index): index.insert(row, columns: columns, key: key)
    case .btree(let index): index.insert(row, columns: columns, key: key)
    case .fullText(let index): index.insert(row, columns: columns, key: key)
    case .trigram(let index): index.insert(row, columns: columns, key: key)
    case .elements(let index): index.insert(row, columns: columns, key: key)
    case .pending: break
    }
  }

  @inline(__always)
  func remove(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    switch self {
    case .hash(let index): index.remove(row, columns: columns, key: key)
    case .btree(let index): index.remove(row, columns: columns, key: key)
    case .fullText(let index): index.remove(row, columns: columns, key: key)
    case .trigram(let index): index.remove(row, columns: columns, key: key)
    case .elements(let index): index.remove(row, columns: columns, key: key)
    case .pending: break
    }
  }

  @inline(__always)
  func find(_ key: UnsafePointer<Cell>, columns: UnsafePointer<ColumnReader>) -> UInt32 {
    switch self {
    case .hash(let index): index.find(key, columns: columns)
    case .btree(let index): index.find(key, columns: columns)
    case .fullText(let index): index.find(key, columns: columns)
    case .trigram(let index): index.find(key, columns: columns)
    case .elements(let index): index.find(key, columns: columns)
    case .pending: PageLayout.noRow
    }
  }

  // MARK: - For those who read one kind

  var asHash: HashIndex? { if case .hash(let index) = self { index } else { nil } }
  var asTree: BTree? { if case .btree(let index) = self { index } else { nil } }
  var asFullText: FullTextIndex? { if case .fullText(let index) = self { index } else { nil } }
}
