import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Objects on their way into the store, flat: an object's record stands before those of the objects inside it.
struct InputStage: ~Copyable {
  /// Where an object or a value was written.
  enum Source {
    /// With the cells that it has.
    case document(SourceRange, [BoundCell])
    case range(SourceRange)
    /// In the value of a parameter.
    case variable(Int, [ValuePathStep])
  }

  enum Role: UInt8 {
    /// One of the rows of the field.
    case row
    /// An object inside another: a fragment.
    case fragment
    /// What is written to an entity that was found.
    case assignment
    /// An element of a list of embedded objects.
    case element
  }

  /// Where a record was written, by number: records hold nothing that is counted.
  struct Place {
    fileprivate let index: Int
  }

  struct Record {
    var type: EntityTypeID
    /// The first of the record's cells.
    var base: Int
    /// The number of the record behind the last object inside it.
    var end: Int
    var role: Role
    var source: Place
    var row = PageLayout.noRow
    /// Neither it nor what is inside it is saved.
    var isSkipped = false
    /// Null, for a link of an entity that was there, says nothing.
    var keepsForNull = false
    /// Links without a word for what they do are appended.
    var appends = false
    /// Links fill only what is empty.
    var fillsOnly = false
    /// Of an element: the record in whose list it stands.
    var owner = 0
  }

  struct Link {
    var record: Int
    var relation: RelationID
    var mode: BoundLink.Mode
    var isNull: Bool
    /// Whether it is a part of an embedded object, which is written as a whole.
    var isWithin = false
    /// In `targets`.
    var first: Int
    var count: Int
    var source: Source
  }

  enum Target {
    case record(Int)
    case key(Cell, Source)
    case row(UInt32, EntityTypeID)
  }

  var records: [Record] = []
  /// Of each record.
  private var sources: [Source] = []
  var links: [Link] = []
  var targets: [Target] = []
  private var staged = StagedCells(capacity: 64)
  var cells: UnsafeMutablePointer<Cell> { staged.cells }
  /// Whether a cell has a value.
  var valid: UnsafeMutablePointer<Bool> { staged.valid }
  /// Whether the object names the column, be it as null.
  var given: UnsafeMutablePointer<Bool> { staged.given }
  /// What cells point to that does not live elsewhere until the end of the field.
  let memory = ScratchArena(capacity: 1024)
  /// Bytes of all that is on the stage. What an earlier field left room for does not count.
  var byteCount: Int {
    var bytes = memory.usedBytes
    bytes &+= records.count &* (MemoryLayout<Record>.stride &+ MemoryLayout<Source>.stride)
    bytes &+= links.count &* MemoryLayout<Link>.stride
    bytes &+= targets.count &* MemoryLayout<Target>.stride
    bytes &+= staged.count &* (MemoryLayout<Cell>.stride &+ 2)
    return bytes
  }

  /// Whether a point mutation may hold it: objects inside others may be entities that are there, with any links.
  var isWithinPoint: Bool {
    records.count <= PointMutation.maximumRecords && targets.count <= PointMutation.maximumLinks
      && records.allSatisfy { $0.role != .fragment }
  }

  deinit { staged.deallocate() }

  mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    sources.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    targets.removeAll(keepingCapacity: true)
    staged.truncate(to: 0)
    memory.removeAll()
  }

  subscript(_ place: Place) -> Source { sources[place.index] }

  /// Adds an empty record and gives its number.
  mutating func begin(_ layout: EntityLayout, role: Role, source: Source) -> Int {
    records.append(
      Record(
        type: layout.type, base: staged.begin(layout.columnCount), end: records.count + 1, role: role,
        source: Place(index: sources.count)))
    sources.append(source)
    return records.count - 1
  }

  /// Takes the last record back. Precondition: nothing is inside it, and it has no links.
  mutating func removeLast() {
    if let last = records.popLast() {
      staged.truncate(to: last.base)
      sources.removeLast()
    }
  }

  /// Nil is null.
  @inline(__always)
  mutating func set(_ record: Int, _ column: Int, _ cell: Cell?) {
    let index = records[record].base &+ column
    given[index] = true
    valid[index] = cell != nil
    if let cell { cells[index] = cell }
  }

  // MARK: - Payloads

  /// The cell with what it points to copied, so that it outlives a batch.
  func keeping(_ cell: Cell, _ type: ValueType) -> Cell {
    switch ColumnKind(type) {
    case .text: return keepingText(cell)
    case .wordList, .wideList:
      guard case .list(let element) = type else { return cell }
      let run = ListRun(cell, element)
      guard run.count > 0 else { return cell }
      let copy = memory.allocate(run.count * (run.width + 1))
      copy.copyMemory(from: run.start, byteCount: run.count * (run.width + 1))
      if ColumnKind(element) == .text {
        for index in 0..<run.count where !run.isNull(index) {
          let kept = keepingText(run.cell(index))
          copy.storeBytes(of: kept.low, toByteOffset: index * 16, as: UInt64.self)
          copy.storeBytes(of: kept.high, toByteOffset: index * 16 + 8, as: UInt64.self)
        }
      }
      return Cell(low: UInt64(UInt(bitPattern: copy)), high: cell.high)
    default: return cell
    }
  }

  private func keepingText(_ cell: Cell) -> Cell {
    let view = TextView(cell)
    guard !view.isInline, let start = UnsafeRawPointer(bitPattern: UInt(view.word1)) else { return cell }
    let copy = memory.allocate(view.count)
    copy.copyMemory(from: start, byteCount: view.count)
    return Cell(low: cell.low, high: UInt64(UInt(bitPattern: copy)))
  }

  /// The elements of two lists, one behind the other.
  func joined(_ first: Cell, _ second: Cell, _ type: ValueType) -> Cell {
    guard case .list(let element) = type else { return second }
    let left = ListRun(first, element)
    let right = ListRun(second, element)
    if left.count == 0 { return second }
    if right.count == 0 { return first }
    let width = left.width
    let count = left.count + right.count
    let copy = memory.allocate(count * (width + 1))
    copy.copyMemory(from: left.start, byteCount: left.count * width)
    (copy + left.count * width).copyMemory(from: right.start, byteCount: right.count * width)
    let validity = copy + count * width
    validity.copyMemory(from: left.start + left.count * width, byteCount: left.count)
    (validity + left.count).copyMemory(from: right.start + right.count * width, byteCount: right.count)
    return Cell(low: UInt64(UInt(bitPattern: copy)), high: UInt64(UInt32(truncatingIfNeeded: count)))
  }
}
