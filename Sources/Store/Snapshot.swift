import GQLBase
import GQLCatalog

/// One immutable version of a store. Readers may use it from any thread for as long as they hold it.
package final class Snapshot: @unchecked Sendable, Statistics {
  package let catalog: Catalog
  /// Larger than that of the snapshot that this one was made from; branches from one snapshot may share it.
  package let version: UInt64
  let layout: StoreLayout
  let tables: [Table]
  let dangling: DanglingLinks
  let growth: GrowthMark
  /// What the transaction that made the snapshot says of the history of rows.
  let pasts: PastMarks
  /// Indicates whether the transaction that made the snapshot has left memory behind that only earlier ones hold.
  package let isCompacted: Bool
  /// Estimates that cost more than a few hundred nanoseconds.
  let estimates = EstimateCache()
  /// Another number for every snapshot of the process.
  package let identity = Stamp.next()
  /// By number the readers of hash indexes, so that a lookup counts no references; nil for other indexes.
  package let hashIndexes: UnsafePointer<HashIndexReader?>
  /// The same of what is read in order of keys: B-trees, and primary indexes whose rows can be walked by their ids.
  private let orders: UnsafePointer<OrderedReader?>

  init(
    _ catalog: Catalog, version: UInt64, layout: StoreLayout, tables: [Table], dangling: DanglingLinks,
    growth: GrowthMark, pasts: PastMarks = PastMarks(), isCompacted: Bool = false
  ) {
    self.pasts = pasts
    self.isCompacted = isCompacted
    self.catalog = catalog
    self.version = version
    self.layout = layout
    self.tables = tables
    self.dangling = dangling
    self.growth = growth
    let count = max(layout.places.count, 1)
    let hashes = UnsafeMutablePointer<HashIndexReader?>.allocate(capacity: count)
    hashes.initialize(repeating: nil, count: count)
    let orders = UnsafeMutablePointer<OrderedReader?>.allocate(capacity: count)
    orders.initialize(repeating: nil, count: count)
    for (number, place) in layout.places.enumerated() {
      guard let place else { continue }
      let table = tables[place.type]
      let index = table.indexes[place.index]
      if let hash = index.asHash {
        hashes[number] = hash.reader(table.readers)
        if place.index == 0 { orders[number] = table.idOrderReader }
      } else if let tree = index.asTree {
        orders[number] = .tree(tree.reader(table.readers))
      }
    }
    hashIndexes = UnsafePointer(hashes)
    self.orders = UnsafePointer(orders)
  }

  deinit {
    hashIndexes.deallocate()
    orders.deallocate()
  }

  package static func empty(_ catalog: Catalog) -> Snapshot {
    let layout = StoreLayout(catalog)
    let stamp = Stamp.next()
    let tables = layout.types.map { Table($0, stamp: stamp) }
    return Snapshot(
      catalog, version: 0, layout: layout, tables: tables, dangling: DanglingLinks(),
      growth: GrowthMark(generation: stamp, tables))
  }

  /// Returns whether types, columns and relations have the same numbers in both versions.
  package func hasLayout(of other: Snapshot) -> Bool { layout === other.layout }

  /// The status of a row: 0 for a void one, 1 for a live one, 2 for one that is deleted.
  package func status(_ type: EntityTypeID, _ row: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: table(type).status(row))
  }

  /// The same data under a catalog that differs in nothing that is stored. Its generation is new, so that no plan is kept.
  package func with(_ catalog: Catalog) -> Snapshot {
    Snapshot(
      catalog, version: version, layout: layout, tables: tables, dangling: dangling,
      growth: growth.renewed(stamp: Stamp.next()))
  }

  @inline(__always)
  func table(_ type: EntityTypeID) -> Table { tables[Int(type.index)] }

  /// The rows that have been given out, tombstones included; all readers take rows below it.
  package func slotCount(_ type: EntityTypeID) -> Int { table(type).slots }
  /// Live entities.
  package func liveCount(_ type: EntityTypeID) -> Int { table(type).live }
  /// The types and how many live entities they have: `User: 2, Chat: 0`.
  package var countText: String { catalog.types.map { "\($0.name): \(liveCount($0.id))" }.joined(separator: ", ") }
  package func isLive(_ type: EntityTypeID, _ row: UInt32) -> Bool { table(type).isLive(row) }

  /// Deleted entities that are kept.
  package func deletedCount(_ type: EntityTypeID) -> Int { table(type).tombstones?.count ?? 0 }
  /// Whether the row is that of a deleted entity that is kept.
  package func isDeleted(_ type: EntityTypeID, _ row: UInt32) -> Bool { table(type).isDeleted(row) }

  /// Writes the rows of all deleted entities that are kept, ascending; `rows` has room for ``deletedCount(_:)``.
  package func deletedRows(_ type: EntityTypeID, into rows: UnsafeMutablePointer<UInt32>) {
    table(type).tombstones?.copyRows(into: rows)
  }

  /// The kept row of a deleted entity with this primary key: one cell per component.
  package func deletedRow(_ type: EntityTypeID, key: UnsafePointer<Cell>) -> UInt32? {
    let table = table(type)
    let row = table.tombstones?.find(key, columns: table.readers) ?? PageLayout.noRow
    return row == PageLayout.noRow ? nil : row
  }

  /// What a relation of a deleted row that is kept led to when it was deleted, in order: without what was deleted before
  /// it, and what is gone for good. Of one that came as deleted, all that it was told.
  package func targetsWhenDeleted(_ relation: RelationID, _ row: UInt32) -> [UInt32] {
    let relation = layout[relation]
    guard let record = table(relation.source).tombstones?.record(row) else { return [] }
    let others = table(relation.target)
    let deletion = record.isFromElsewhere ? 0 : record.deletion
    return record.targets(relation: layout.relationPlaces[Int(relation.id.index)]).filter { target in
      others.isLive(target) || others.isDeleted(target) && others.tombstones?.isLater(target, than: deletion) == true
    }
  }

  package func column(_ type: EntityTypeID, _ column: ColumnID) -> ColumnReader {
    table(type).readers[Int(column.index)]
  }

  /// The reader of byte cells: 1 for live rows, 2 for deleted ones that are kept, 0 for purged ones, so that bit 0 says
  /// whether a row is live; nil while all are.
  package func liveness(_ type: EntityTypeID) -> ColumnReader? { table(type).liveness?.reader }

  /// Precondition: a hash index.
  package func hashIndex(_ id: IndexID) -> HashIndexReader {
    guard let reader = hashIndexes[Int(id.index)] else { preconditionFailure("not a hash index") }
    return reader
  }

  /// Returns whether a key of a unique hash index has several rows, as in a past before the index.
  package func hasRepeats(_ id: IndexID) -> Bool {
    guard let place = layout.places[Int(id.index)] else { return false }
    return tables[place.type].indexes[place.index].asHash?.hasRepeats ?? false
  }

  /// Precondition: a B-tree index.
  package func tree(_ id: IndexID) -> BTreeReader {
    guard case .tree(let reader)? = orders[Int(id.index)] else { preconditionFailure("not a B-tree") }
    return reader
  }

  /// Returns the entries of an index in the order of their keys; nil for an index that has none.
  package func ordered(_ id: IndexID) -> OrderedReader? { orders[Int(id.index)] }

  /// Indicates whether the ids of a type ascend with its rows, which stand in order of insertion.
  package func idsAscend(_ type: EntityTypeID) -> Bool { table(type).idsAscend }

  /// Whether no cell of any row is null and cells do not decrease with the row; false where unknown.
  package func isAscending(_ type: EntityTypeID, _ column: ColumnID) -> Bool {
    table(type).columns[Int(column.index)].isAscending
  }

  /// Returns an index as its table holds it; nil for one over no column.
  func index(_ id: IndexID) -> TableIndex? {
    layout.places[Int(id.index)].map { tables[$0.type].indexes[$0.index] }
  }

  /// References that await a target, see ``WriteTransaction/rememberDangling(_:source:key:)``.
  package var danglingCount: Int { dangling.count }

  /// Bytes of all pages, arenas and indexes, those shared with other versions included.
  package var byteCount: Int { tables.reduce(0) { $0 + $1.byteCount } }

  /// A hash of all memory that readers can reach, which never changes. Complexity: O(bytes).
  package var memoryDigest: UInt64 {
    var digest = MemoryDigest()
    for table in tables {
      digest.add(UInt64(table.slots))
      digest.add(UInt64(table.live))
      for column in table.columns { column.hashMemory(into: &digest) }
      table.liveness?.hashMemory(into: &digest)
      table.tombstones?.hashMemory(into: &digest)
      for links in table.suspended { links?.hashMemory(into: &digest) }
      for index in table.indexes { index.built?.hashMemory(into: &digest) }
    }
    return digest.value
  }
}
