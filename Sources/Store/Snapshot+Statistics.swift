import GQLBase
import GQLCatalog
import Synchronization

/// The row counts under which plans were made, and a number that changes when one of them has doubled or halved.
struct GrowthMark: Sendable {
  var generation: UInt64
  var counts: [Int]
  /// By type: what delivers entities in the order of their ids.
  var idOrders: [IDOrder]

  init(generation: UInt64, _ tables: [Table]) {
    self.generation = generation
    counts = tables.map(\.live)
    idOrders = tables.map(\.idOrder)
  }

  /// This mark, or a new one if a count has moved by more than a factor of two (and more than a handful), or if ids are
  /// in another order.
  func advanced(_ tables: [Table], stamp: UInt64) -> GrowthMark {
    for (number, table) in tables.enumerated() {
      let old = counts[number]
      let now = table.live
      if now > 2 * old + 8 || (now + 8) * 2 < old || table.idOrder != idOrders[number] {
        return GrowthMark(generation: stamp, tables)
      }
    }
    return self
  }
}

extension GrowthMark {
  /// The same counts under another number.
  func renewed(stamp: UInt64) -> GrowthMark {
    var copy = self
    copy.generation = stamp
    return copy
  }
}

/// Estimates of distinct values, made when first asked for.
final class EstimateCache: Sendable {
  private let values = Mutex<[IndexID: Double]>([:])

  func value(_ id: IndexID, _ make: () -> Double) -> Double {
    if let known = values.withLock({ $0[id] }) { return known }
    let made = make()
    values.withLock { $0[id] = made }
    return made
  }
}

extension Snapshot {
  /// Live entities; the number of slots is ``slotCount(_:)``.
  package func rowCount(_ type: EntityTypeID) -> Int { table(type).live }

  package func distinctCount(_ type: EntityTypeID, _ column: ColumnID) -> Double? {
    let table = table(type)
    for number in table.layout.indexesOfColumn[Int(column.index)] {
      let index = table.layout.indexes[number]
      guard index.keys.count == 1 else { continue }
      let count = table.indexes[number].built?.keyCount(table.readers) { estimates.value(index.id, $0) }
      if let count { return count }
    }
    return nil
  }

  package func idOrder(_ type: EntityTypeID) -> IDOrder { table(type).idOrder }

  package func nullCount(_ type: EntityTypeID, _ column: ColumnID) -> Int {
    table(type).columns[Int(column.index)].liveNulls
  }

  package func fanOut(_ relation: RelationID) -> FanOut {
    let relation = layout[relation]
    let table = table(relation.source)
    let column = table.columns[Int(relation.column.index)]
    let nonEmpty = table.live - column.liveNulls
    let links = relation.isToMany ? column.linkCount : nonEmpty
    return FanOut(
      mean: table.live == 0 ? 0 : Double(links) / Double(table.live),
      maximum: relation.isToMany ? column.longestRun : min(1, nonEmpty), nonEmpty: nonEmpty)
  }

  package func cardinality(_ index: IndexID, _ range: KeyRange) -> Int? {
    guard let place = layout.places[Int(index.index)] else { return nil }
    let table = tables[place.type]
    let keys = table.layout.indexes[place.index].keys
    guard range.equal.count <= keys.count else { return nil }
    let buffer = CellBuffer()
    var equal: [Cell] = []
    for (offset, value) in range.equal.enumerated() {
      guard let cell = buffer.cell(value, keys.components[offset].kind) else { return nil }
      equal.append(cell)
    }
    if equal.count == keys.count,
      let count = table.indexes[place.index].built?.count(under: equal, columns: table.readers)
    {
      return range.lower == nil && range.upper == nil && range.prefix == nil ? count : nil
    }
    guard let ordered = ordered(index) else { return nil }
    var bounds = BTreeBounds(equalCount: equal.count)
    if equal.count < keys.count {
      let kind = keys.components[equal.count].kind
      if let lower = range.lower {
        guard let cell = buffer.cell(lower.value, kind) else { return nil }
        bounds.lower = cell
        bounds.lowerInclusive = lower.isInclusive
      }
      if let upper = range.upper {
        guard let cell = buffer.cell(upper.value, kind) else { return nil }
        bounds.upper = cell
        bounds.upperInclusive = upper.isInclusive
      }
      if let prefix = range.prefix {
        guard kind == .text, let cell = buffer.cell(prefix, kind) else { return nil }
        bounds.textPrefix = cell
      }
      bounds.includesNulls = !equal.isEmpty && range.lower == nil && range.upper == nil && range.prefix == nil
    } else if range.lower != nil || range.upper != nil || range.prefix != nil {
      return nil
    }
    return equal.withUnsafeBufferPointer { equal in
      bounds.equal = equal.baseAddress
      return ordered.estimate(bounds)
    }
  }

  package var generation: UInt64 { growth.generation }
}

/// Cells of values outside the store, with the memory of their texts.
final class CellBuffer {
  private var blocks: [UnsafeMutableRawBufferPointer] = []

  deinit { for block in blocks { block.deallocate() } }

  /// Nil if the value is null or of another kind.
  func cell(_ value: Value, _ kind: KeyKind) -> Cell? {
    switch (value, kind) {
    case (.int(let value), .int64), (.dateTime(let value), .int64), (.date(let value), .int64),
      (.duration(let value), .int64):
      return Cell(value)
    case (.float(let value), .float64): return Cell(value)
    case (.boolean(let value), .byte): return Cell(low: value ? 1 : 0)
    case (.enumeration(_, let code), .code): return Cell(low: UInt64(UInt16(truncatingIfNeeded: code)))
    case (.string(let text), .text), (.string(let text), .id), (.id(let text, _), .text), (.id(let text, _), .id),
      (.uuid(let text), .text), (.bytes(let text), .text), (.json(let text), .text):
      return cell(text)
    default: return nil
    }
  }

  /// The cell of a text; valid as long as this buffer.
  func cell(_ text: Text) -> Cell? {
    guard text.bytes.count <= TextView.maximumLength else { return nil }
    return text.bytes.withUnsafeBytes { bytes in
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + 16, alignment: 8)
      block.copyMemory(from: bytes)
      blocks.append(block)
      return block.baseAddress.map { TextView(UnsafeRawPointer($0), count: bytes.count).cell }
    }
  }
}
