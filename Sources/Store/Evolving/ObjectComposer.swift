import GQLBase
import GQLCatalog

/// Writes embedded objects, and lists of them, as the JSON values that a field has now.
///
/// An object has all of its fields in their order, as it prints when it is selected whole; what it links to stands in it
/// by its id.
final class ObjectComposer {
  private indirect enum Part {
    case nothing
    case value(ColumnStore, CellConverter)
    case object(presence: ColumnStore, [(name: Text, part: Part)])
    case ids(Relation, ColumnStore, CellConverter)
    case elements(Relation, [(name: Text, part: Part)])
  }

  private let old: Snapshot
  private let part: Part
  private var buffer = ByteBuffer()
  /// Cells that were read for the last value.
  private(set) var steps = 0

  init(_ composition: CatalogMapping.Composition, of type: EntityTypeID, in old: Snapshot) {
    self.old = old
    part = Self.part(composition, type, old)
  }

  private static func part(
    _ composition: CatalogMapping.Composition, _ type: EntityTypeID, _ old: Snapshot
  ) -> Part {
    let table = old.table(type)
    func members(
      _ list: [CatalogMapping.Composition.Member], _ type: EntityTypeID
    ) -> [(name: Text, part: Part)] {
      list.map { (Text($0.name), part($0.value, type, old)) }
    }
    switch composition {
    case .value(let column, let signature):
      return .value(table.columns[Int(column.index)], converter(signature, old.catalog))
    case .object(let presence, let list):
      return .object(presence: table.columns[Int(presence.index)], members(list, type))
    case .elements(let id, let list):
      let relation = old.layout[id]
      return .elements(relation, members(list, relation.target))
    case .ids(let id):
      let relation = old.layout[id]
      let target = old.catalog[relation.target]
      guard target.idProperties.count == 1, let property = target.idProperties.first,
        case .column(let column, _) = target[property].storage
        // A compound key is no value of its own.
      else { return .nothing }
      return .ids(
        relation, old.table(relation.target).columns[Int(column.index)],
        converter(target[property].signature, old.catalog))
    }
  }

  private static func converter(_ signature: TypeSignature, _ catalog: Catalog) -> CellConverter {
    CellConverter(
      CatalogMapping.Conversion(from: signature, to: TypeSignature(.json)), from: catalog, to: catalog)
  }

  /// The value of a row: nil where there is no object, `.lost` where it is too long for a text.
  func value(_ row: UInt32, _ arena: ConversionArena) -> CellConverter.Outcome? {
    buffer.removeAll()
    steps = 0
    guard write(part, row) else { return nil }
    return buffer.withUnsafeBytes { arena.text($0, flags: TextView.escapeFlag) }.map { .exact($0) } ?? .lost
  }

  /// False, and nothing is written, for null.
  private func write(_ part: Part, _ row: UInt32) -> Bool {
    steps += 1
    switch part {
    case .nothing: return false
    case .value(let column, let converter): return write(column, converter, row)
    case .object(let presence, let members):
      guard !presence.isNull(row), presence.cell(row).low != 0 else { return false }
      write(members, row)
    case .ids(let relation, let column, let converter):
      let table = old.table(relation.target)
      var targets: [UInt32] = []
      old.forEachTarget(relation, row) { if table.isLive($0) { targets.append($0) } }
      guard relation.isToMany else {
        guard let target = targets.first else { return false }
        return write(column, converter, target)
      }
      writeList(targets) { write(column, converter, $0) }
    case .elements(let relation, let members):
      var elements: [UInt32] = []
      old.forEachTarget(relation, row) { elements.append($0) }
      writeList(elements) {
        write(members, $0)
        return true
      }
    }
    return true
  }

  private func write(_ column: ColumnStore, _ converter: CellConverter, _ row: UInt32) -> Bool {
    guard !column.isNull(row), case .exact(let cell) = converter.convert(column.cell(row)) else { return false }
    TextView(cell).withBytes { buffer.append($0, $1) }
    return true
  }

  private func write(_ members: [(name: Text, part: Part)], _ row: UInt32) {
    buffer.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      buffer.append(json: member.name)
      buffer.append(UInt8(ascii: ":"))
      if !write(member.part, row) { buffer.append("null") }
    }
    buffer.append(UInt8(ascii: "}"))
  }

  private func writeList(_ rows: [UInt32], _ body: (UInt32) -> Bool) {
    buffer.append(UInt8(ascii: "["))
    for (index, row) in rows.enumerated() {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      if !body(row) { buffer.append("null") }
    }
    buffer.append(UInt8(ascii: "]"))
  }
}
