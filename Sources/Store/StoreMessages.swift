import GQLBase
import GQLCatalog

/// Sentences for what the store refuses.
package enum StoreMessages {
  /// What a change is refused for.
  package static func describe(_ problem: StoreProblem, catalog: Catalog, transaction: WriteTransaction) -> String {
    switch problem {
    case .uniqueViolation(let index, let existing, _):
      let descriptor = catalog[index]
      let type = catalog[descriptor.type]
      let names = descriptor.columns.map { column -> String in
        let source = type[column].foldedFrom ?? column
        return type[source].name
      }
      let values = descriptor.columns.map { column -> String in
        let source = type[column].foldedFrom ?? column
        return show(transaction.column(type.id, source), existing, type[source], catalog)
      }
      return
        "a second '\(type.name)' with \(names.joined(separator: ", ")) \(values.joined(separator: ", ")), which is unique"
    case .denied(let relation, _):
      let source = catalog[catalog[relation].source]
      return "deleting this '\(source.name)' is denied by one of its relations"
    case .requiredReference(let relation, _):
      let source = catalog[catalog[relation].source]
      return "a '\(source.name)' would lose a target that it must have"
    case .contradiction(let found):
      let relation = catalog[found.relation]
      let type = catalog[relation.source]
      func entity(_ type: EntityTypeID, _ row: UInt32) -> String {
        let entity = catalog[type]
        guard !entity.indexes.isEmpty else { return "an object of '\(entity.name)'" }
        let columns = catalog[entity.primaryIndex].columns.map { Int((entity[$0].foldedFrom ?? $0).index) }
        return "'\(entity.name)' " + key(type, columns, of: row, catalog: catalog, transaction: transaction)
      }
      return
        "'\(type.name).\(type[relation.column].name)' has room for one, and \(entity(relation.source, found.row)) is linked with both \(entity(relation.target, found.first)) and \(entity(relation.target, found.second))"
    case .tooManyRows(let type):
      return "'\(catalog[type].name)' has more entities than the store can hold"
    case .textTooLong(let type, let column):
      return "'\(catalog[type].name).\(catalog[type][column].name)' is longer than \(TextView.maximumLength) bytes"
    // Loading asks the store to follow no deletion that may be stopped.
    case .stopped: return "the change was stopped"
    }
  }

  /// `id '7'`
  package static func key(
    _ type: EntityTypeID, _ columns: [Int], of row: UInt32, catalog: Catalog, transaction: WriteTransaction
  ) -> String {
    let columns = columns.map { ColumnID($0) }
    let values = columns.map { show(transaction.column(type, $0), row, catalog[type][$0], catalog) }
    return columns.map { catalog[type][$0].name }.joined(separator: ", ") + " " + values.joined(separator: ", ")
  }

  /// A cell as a message shows it, cut where it is long.
  package static func show(
    _ reader: ColumnReader, _ row: UInt32, _ column: ColumnDescriptor, _ catalog: Catalog
  ) -> String {
    if reader.isNull(row) { return "null" }
    switch column.kind {
    case .text:
      let text = TextView(reader.wide(row)).withBytes { start, count in
        String(decoding: UnsafeRawBufferPointer(start: start, count: min(count, 80)), as: UTF8.self)
      }
      return "'\(text)'"
    case .int64: return "\(reader.int64(row))"
    case .float64: return "\(reader.float64(row))"
    case .byte: return reader.byte(row) == 1 ? "true" : "false"
    case .code:
      if case .enumeration(let id) = column.type { return catalog[id].values[Int(reader.code(row))] }
      return "\(reader.code(row))"
    case .decimal:
      let cell = reader.wide(row)
      return "\(Decimal(packed: (cell.low, cell.high)))"
    case .wordList, .wideList, .reference, .references: return "…"
    }
  }
}
