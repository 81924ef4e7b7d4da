import GQLCatalog
import GQLExecutor
import GQLStore
import GQLWriting

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
    /// Whether reading gave it.
    let isRead: Bool
    private(set) var targets: Range<Int>

    /// The same, to these targets.
    func with(_ targets: Range<Int>) -> Link {
      var link = self
      link.targets = targets
      return link
    }
  }

  let memory = StagingArena()
  /// The cells of embedded objects.
  let pool = CellPool()
  @exclusivity(unchecked) private(set) var records: [Record] = []
  @exclusivity(unchecked) var links: [Link] = []
  @exclusivity(unchecked) var targets: [Target] = []
  /// What is left to do, the innermost last.
  @exclusivity(unchecked) var steps: [SaveStep] = []
  private var namesakes = Namesakes()
  /// Whether an entity that was new stands twice.
  @exclusivity(unchecked) var hasTwins = false
  /// For writing links.
  @exclusivity(unchecked) var rows: [UInt32] = []
  @exclusivity(unchecked) private var staged = StagedCells(capacity: 64)
  var cells: UnsafeMutablePointer<Cell> { staged.cells }
  var valid: UnsafeMutablePointer<Bool> { staged.valid }

  deinit { staged.deallocate() }

  func removeAll() {
    records.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    targets.removeAll(keepingCapacity: true)
    steps.removeAll()
    hasTwins = false
    namesakes.removeAll()
    memory.removeAll()
    pool.removeAll()
    staged.truncate(to: 0)
  }

  /// Makes room for an entity; all cells are null.
  func add(_ mapping: AnyTypeMapping) -> Int {
    records.append(
      Record(
        mapping: mapping, base: staged.begin(mapping.layout.columnCount), row: PageLayout.noRow, opaques: []))
    return records.count - 1
  }

  /// Takes the last entity out. Precondition: nobody has asked for namesakes.
  func removeLast() { if let last = records.popLast() { staged.truncate(to: last.base) } }

  func setRow(_ record: Int, _ row: UInt32) { records[record].row = row }
  func setNew(_ record: Int) { records[record].isNew = true }
  func setObjects(_ record: Int, _ values: [ObjectValue]) { records[record].objects = values }
  func setOpaques(_ record: Int, _ values: [AnyObject?]) { records[record].opaques = values }

  /// The primary key of a record.
  func key(_ record: Int) -> UnsafePointer<Cell> {
    UnsafePointer(cells + (records[record].base + records[record].mapping.idColumn))
  }

  /// The last of the earlier records of the same entity.
  func namesake(of record: Int) -> Int? { namesakes.last(before: record, in: self) }

  /// Whether an earlier record is of the same type.
  func hasSibling(_ record: Int) -> Bool {
    let mapping = records[record].mapping
    return records[..<record].contains { $0.mapping === mapping }
  }

  /// Whether two keys of a kind are the same.
  func areEqual(_ left: Cell, _ right: Cell, _ kind: ColumnKind) -> Bool {
    kind == .text ? TextView(left).equals(TextView(right)) : left == right
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
