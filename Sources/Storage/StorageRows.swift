import GQLBase
import GQLEngine
import GQLStore

/// Rows of one version that are to be kept, in the order of types and rows.
public struct StorageRows: Sequence, Sendable {
  private enum Selection {
    case some([(type: Int, row: UInt32)])
    case all
  }
  /// The version that the rows are of.
  package let snapshot: Snapshot
  /// That version, which all commits lead to that are kept.
  public let point: StoragePoint
  private let selection: Selection
  /// Commits that are in the rows and have no records: of a file the past of some types is kept of them.
  var commits: [Commit] = []
  /// The number of types that rows may be of.
  public var typeCount: Int { snapshot.catalog.types.count }

  /// Some rows, those that are void among them.
  init(_ rows: [(type: Int, row: UInt32)], of snapshot: Snapshot, at point: StoragePoint) {
    self.snapshot = snapshot
    self.point = point
    selection = .some(rows)
  }

  /// All rows that are not void.
  init(allOf snapshot: Snapshot, at point: StoragePoint) {
    self.snapshot = snapshot
    self.point = point
    selection = .all
  }

  /// Returns the rows one after the other, each made when it is asked for.
  public func makeIterator() -> AnyIterator<StorageRow> {
    var places = Places(self)
    return AnyIterator {
      while let (type, row) = places.next() {
        let found = stored(type, row)
        if case .all = selection, found.isRemoved { continue }
        return found
      }
      return nil
    }
  }

  private func stored(_ type: Int, _ row: UInt32) -> StorageRow {
    let content = snapshot.content(of: type, row)
    return StorageRow(
      type: type, row: Int(row), version: point.version, bytes: content.isEmpty ? [] : CheckedChanges.bytes(content))
  }

  /// Calls with the type and the number of each row, which may be void.
  func forEachPlace<Failure: Error>(_ body: (Int, UInt32) throws(Failure) -> Void) throws(Failure) {
    var places = Places(self)
    while let (type, row) = places.next() { try body(type, row) }
  }

  private struct Places {
    private let rows: StorageRows
    private var index = 0
    private var type = 0

    init(_ rows: StorageRows) { self.rows = rows }

    mutating func next() -> (type: Int, row: UInt32)? {
      switch rows.selection {
      case .some(let places):
        guard index < places.count else { return nil }
        defer { index += 1 }
        return places[index]
      case .all:
        let types = rows.snapshot.catalog.types
        while type < types.count {
          if index < rows.snapshot.slotCount(types[type].id) {
            defer { index += 1 }
            return (type, UInt32(truncatingIfNeeded: index))
          }
          type += 1
          index = 0
        }
        return nil
      }
    }
  }
}
