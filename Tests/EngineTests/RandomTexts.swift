import GQLBase
import GQLCatalog
import GQLDifferential
import GQLStore

/// Random inserts, updates, deletions, restorations and purges of a type of texts: its id, three texts, and whatever
/// else the catalog gives it.
struct RandomTexts {
  let type: EntityTypeID
  /// A text to write; nil is null.
  let text: (inout SeededRandom) -> String?
  private var lastID = 0

  init(_ type: EntityTypeID, text: @escaping (inout SeededRandom) -> String?) {
    self.type = type
    self.text = text
  }

  mutating func change(
    _ transaction: WriteTransaction, _ random: inout SeededRandom, onlyInserts: Bool = false
  ) throws {
    let slots = transaction.slotCount(type)
    if onlyInserts || slots == 0 || random.below(3) == 0 { return try insert(transaction, &random) }
    let row = UInt32(random.below(slots))
    if transaction.isLive(type, row) {
      if random.below(3) == 0 {
        _ = try transaction.delete(type, row)
      } else {
        let text = text(&random)
        try transaction.update(type, row, ColumnID(1 + random.below(3)), text == nil ? nil : Self.cell(text))
      }
    } else if transaction.isDeleted(type, row) {
      if random.below(4) == 0 { _ = try transaction.purge(type, row) } else { _ = try transaction.restore(type, row) }
    }
  }

  private mutating func insert(_ transaction: WriteTransaction, _ random: inout SeededRandom) throws {
    lastID += 1
    var cells: [Cell] = []
    var valid: [Bool] = []
    for column in transaction.base.catalog[type].columns {
      var text: String?
      if column.name == "id" {
        text = String(lastID)
      } else if column.kind == .int64 {
        cells.append(Cell(Int64(random.below(6))))
        valid.append(true)
        continue
      } else if column.kind == .text, column.foldedFrom == nil {
        text = self.text(&random)
      }
      cells.append(Self.cell(text))
      valid.append(text != nil)
    }
    _ = try transaction.insert(type, cells: cells, valid: valid)
  }

  /// In memory that is never freed: tests are short.
  private static func cell(_ text: String?) -> Cell {
    guard let text else { return Cell(low: 0) }
    let bytes = Array(text.utf8)
    let start = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + 16, alignment: 8)
    start.copyMemory(from: bytes, byteCount: bytes.count)
    return TextView(start, count: bytes.count).cell
  }
}
