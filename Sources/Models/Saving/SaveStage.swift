import GQLCatalog
import GQLExecutor
import GQLStore
import GQLWriting

/// The entities of one save on the stage that all doors fill, with what only models know of them.
final class SaveStage {
  /// A record's part that only models know.
  struct Entity {
    let mapping: AnyTypeMapping
    /// Holds the values without a column.
    var opaques: [AnyObject?] = []
    /// Holds by property the embedded objects; empty if there are none.
    var objects: [ObjectValue] = []
    /// Indicates whether the save made the row.
    var isNew = false
  }

  let memory = StagingArena()
  /// Has the cells of embedded objects.
  let pool = CellPool()
  @exclusivity(unchecked) var stage = RecordStage(capacity: 64)
  /// By record.
  @exclusivity(unchecked) private(set) var entities: [Entity] = []
  /// Holds what is left to do, the innermost last.
  @exclusivity(unchecked) var steps: [SaveStep] = []
  private var namesakes = DuplicateKeys()
  /// Indicates whether an entity that was new stands twice.
  @exclusivity(unchecked) var hasTwins = false
  /// Scratch for the links of one relation.
  @exclusivity(unchecked) var list = LinkList()

  func removeAll() {
    stage.removeAll()
    entities.removeAll(keepingCapacity: true)
    steps.removeAll()
    hasTwins = false
    namesakes.removeAll()
    memory.removeAll()
    pool.removeAll()
  }

  /// Makes room for an entity, all of whose cells are null, and returns the number of its record.
  func add(_ mapping: AnyTypeMapping) -> Int {
    entities.append(Entity(mapping: mapping))
    return stage.begin(
      mapping.type, columns: mapping.layout.columnCount, role: .row,
      origin: RecordStage.Origin(start: entities.count - 1))
  }

  /// Takes the last entity out. Precondition: nobody has asked for namesakes.
  func removeLast() {
    entities.removeLast()
    stage.removeLast()
  }

  func row(_ record: Int) -> UInt32 { stage.records[record].row }
  func setRow(_ record: Int, _ row: UInt32) { stage.records[record].row = row }
  func setNew(_ record: Int) { entities[record].isNew = true }
  func setObjects(_ record: Int, _ values: [ObjectValue]) { entities[record].objects = values }
  func setOpaques(_ record: Int, _ values: [AnyObject?]) { entities[record].opaques = values }

  /// The first of the cells of a record, and whether they have values.
  func cells(_ record: Int) -> (cells: UnsafeMutablePointer<Cell>, valid: UnsafeMutablePointer<Bool>) {
    let base = stage.records[record].base
    return (stage.cells + base, stage.valid + base)
  }

  /// The primary key of a record.
  func key(_ record: Int) -> UnsafePointer<Cell> {
    UnsafePointer(cells(record).cells + entities[record].mapping.idColumn)
  }

  /// The last of the earlier records of the same entity.
  func namesake(of record: Int) -> Int? { namesakes.last(before: record, in: self) }

  /// Whether an earlier record is of the same type.
  func hasSibling(_ record: Int) -> Bool {
    let mapping = entities[record].mapping
    return entities[..<record].contains { $0.mapping === mapping }
  }

  /// Whether two keys of a kind are the same.
  func areEqual(_ left: Cell, _ right: Cell, _ kind: ColumnKind) -> Bool {
    kind == .text ? TextView(left).equals(TextView(right)) : left == right
  }

  /// Where a record's cells are read from.
  func source(_ record: Int) -> EntitySource {
    let entity = entities[record]
    var opaques: OpaqueValues?
    if !entity.opaques.isEmpty {
      var values = OpaqueValues(width: entity.opaques.count)
      values.set(0, entity.opaques)
      opaques = values
    }
    let (cells, valid) = cells(record)
    return EntitySource(
      UnsafePointer(cells), UnsafePointer(valid), opaques,
      entity.objects.isEmpty ? nil : ObjectSource(staged: entity.objects))
  }
}
