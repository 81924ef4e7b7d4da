import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore

extension RuntimeProblem {
  /// The problem in words, with the id of the entity that it came up for.
  func diagnostic(snapshot: Snapshot) -> Diagnostic {
    diagnostic(catalog: snapshot.catalog, entityID: entity.flatMap { Self.id($0.type, $0.row, snapshot) })
  }

  private static func id(_ type: EntityTypeID, _ row: UInt32, _ snapshot: Snapshot) -> String? {
    let catalog = snapshot.catalog
    guard Int(row) < snapshot.slotCount(type), let column = catalog[catalog[type].primaryIndex].columns.first else {
      return nil
    }
    let reader = snapshot.column(type, column)
    switch catalog[type][column].kind {
    case .text:
      return TextView(reader.wide(row)).withBytes { start, count in
        String(decoding: UnsafeRawBufferPointer(start: start, count: min(count, 80)), as: UTF8.self)
      }
    case .int64: return "\(reader.int64(row))"
    default: return nil
    }
  }
}
