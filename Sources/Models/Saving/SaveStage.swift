import GQLCatalog
import GQLExecutor
import GQLStore

/// The entities of one save, flattened: their cells, and the links between them.
final class SaveStage {
  struct Record {
    let mapping: AnyTypeMapping
    /// Where its cells begin.
    let base: Int
    /// The row that it has, if it is saved; else `PageLayout.noRow`.
    var row: UInt32
    var opaques: [AnyObject?]
    /// By property: embedded objects; empty if it has none.
    var objects: [ObjectValue] = []
    /// Whether the save made the row.
    var isNew = false
  }

  enum Target {
    case record(Int)
    /// An id, in the form of the target type's primary key.
    case id(Cell)
  }

  struct Link {
    /// The relation's place in the description of the source's type.
    let place: Int
    let source: Int
    /// Whether the targets join those that are there.
    let isPart: Bool
    let targets: Range<Int>
  }

  let memory = StagingMemory()
  /// The cells of embedded objects.
  let pool = CellPool()
  @exclusivity(unchecked) private(set) var records: [Record] = []
  @exclusivity(unchecked) var links: [Link] = []
  @exclusivity(unchecked) var targets: [Target] = []
  /// For writing links.
  @exclusivity(unchecked) var rows: [UInt32] = []
  @exclusivity(unchecked) private(set) var cells: UnsafeMutablePointer<Cell>
  @exclusivity(unchecked) private(set) var valid: UnsafeMutablePointer<Bool>
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var capacity = 64

  init() {
    cells = .allocate(capacity: capacity)
    valid = .allocate(capacity: capacity)
  }

  deinit {
    cells.deallocate()
    valid.deallocate()
  }

  func removeAll() {
    records.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    targets.removeAll(keepingCapacity: true)
    memory.removeAll()
    pool.removeAll()
    count = 0
  }

  /// Makes room for an entity; all cells are null.
  func add(_ mapping: AnyTypeMapping) -> Int {
    let columns = mapping.layout.columnCount
    if count + columns > capacity {
      let larger = max(capacity * 2, count + columns)
      let newCells = UnsafeMutablePointer<Cell>.allocate(capacity: larger)
      let newValid = UnsafeMutablePointer<Bool>.allocate(capacity: larger)
      newCells.update(from: cells, count: count)
      newValid.update(from: valid, count: count)
      cells.deallocate()
      valid.deallocate()
      (cells, valid, capacity) = (newCells, newValid, larger)
    }
    (cells + count).initialize(repeating: Cell(low: 0), count: columns)
    (valid + count).initialize(repeating: false, count: columns)
    records.append(Record(mapping: mapping, base: count, row: PageLayout.noRow, opaques: []))
    count += columns
    return records.count - 1
  }

  func setRow(_ record: Int, _ row: UInt32) { records[record].row = row }
  func setNew(_ record: Int) { records[record].isNew = true }
  func setObjects(_ record: Int, _ values: [ObjectValue]) { records[record].objects = values }
  func setOpaques(_ record: Int, _ values: [AnyObject?]) { records[record].opaques = values }

  /// The primary key of a record.
  func key(_ record: Int) -> UnsafePointer<Cell> {
    UnsafePointer(cells + (records[record].base + records[record].mapping.idColumn))
  }

  /// An earlier record of the same entity.
  func namesake(of record: Int) -> Int? {
    let mapping = records[record].mapping
    for other in stride(from: record - 1, through: 0, by: -1) where records[other].mapping === mapping {
      if areEqual(key(other).pointee, key(record).pointee, mapping.idKind) { return other }
    }
    return nil
  }

  /// Whether an earlier record is of the same type.
  func hasSibling(_ record: Int) -> Bool {
    let mapping = records[record].mapping
    return records[..<record].contains { $0.mapping === mapping }
  }

  private func areEqual(_ left: Cell, _ right: Cell, _ kind: ColumnKind) -> Bool {
    if kind != .text { return left == right }
    let (first, second) = (TextView(left), TextView(right))
    guard first.count == second.count else { return false }
    return first.withBytes { start, count in
      second.withBytes { other, _ in
        UnsafeRawBufferPointer(start: start, count: count)
          .elementsEqual(UnsafeRawBufferPointer(start: other, count: count))
      }
    }
  }

  /// Where a record's cells are read from.
  func source(_ record: Int) -> EntitySource {
    let entry = records[record]
    var opaques: OpaqueValues?
    if !entry.opaques.isEmpty {
      var values = OpaqueValues(width: entry.opaques.count)
      values.set(0, entry.opaques)
      opaques = values
    }
    return EntitySource(
      UnsafePointer(cells + entry.base), UnsafePointer(valid + entry.base), opaques,
      entry.objects.isEmpty ? nil : ObjectSource(staged: entry.objects))
  }
}
