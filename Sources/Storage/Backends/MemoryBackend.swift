import GQLEngine
import Synchronization

/// A backend that keeps everything in the memory of the process, for tests: a database that is opened with it again
/// finds what another one has left.
///
/// ```swift
/// let backend = MemoryBackend()
/// try Database(backend, schema: "type User { id: ID! }").run("mutation { insertUser(data: {id: 1}) { id } }")
/// let again = try Database(backend)                                   // has the user
/// ```
public final class MemoryBackend: StorageBackend {
  fileprivate struct Content {
    var state: StorageState?
    /// By type and row.
    var rows: [[Int: StorageRow]] = []
    var records: [StorageRecord] = []
    var mark: Int64 = 0
  }
  private let content = Mutex(Content())

  /// A backend that keeps nothing yet.
  public init() {}

  /// See ``StorageBackend/name``.
  public var name: String { "memory" }
  /// See ``StorageBackend/isTransactional``.
  public var isTransactional: Bool { true }

  /// See ``StorageBackend/open(_:)``.
  public func open(_ options: StorageOptions) throws {}
  /// See ``StorageBackend/close()``.
  public func close() throws {}

  /// See ``StorageBackend/read(into:)``.
  public func read(into reader: StorageReader) throws {
    let content = content.withLock { $0 }
    guard let state = content.state else { return }
    try reader.begin(state)
    for rows in content.rows {
      for row in rows.values.sorted(by: { $0.row < $1.row }) { try reader.add(row) }
    }
    for record in content.records { try reader.add(record) }
  }

  /// See ``StorageBackend/records(after:)``.
  public func records(after version: Int64) throws -> [StorageRecord]? {
    content.withLock { content in
      let found = content.records.filter { $0.version > version }
      if let first = found.first { return first.version == version + 1 ? found : nil }
      return version >= content.state?.folded.version ?? 0 ? [] : nil
    }
  }

  /// See ``StorageBackend/changeMark()``.
  public func changeMark() throws -> Int64 { content.withLock { $0.mark } }

  /// See ``StorageBackend/append(_:)``.
  public func append(_ records: [StorageRecord]) throws {
    content.withLock { content in
      content.records += records
      content.mark += 1
    }
  }

  /// See ``StorageBackend/write(_:holding:)``.
  public func write(_ rows: StorageRows, holding point: StoragePoint?) throws {
    content.withLock { content in
      for row in rows { content.put(row) }
      content.state?.newest = rows.point
      if let point { content.state?.folded = point }
      content.mark += 1
    }
  }

  /// See ``StorageBackend/forget(through:)``.
  public func forget(through version: Int64) throws {
    content.withLock { content in content.records.removeAll { $0.version <= version } }
  }

  /// See ``StorageBackend/replace(_:with:)``.
  public func replace(_ state: StorageState, with rows: StorageRows) throws {
    content.withLock { content in
      content.state = state
      content.rows = []
      content.records = []
      for row in rows { content.put(row) }
      content.mark += 1
    }
  }
}

extension MemoryBackend.Content {
  fileprivate mutating func put(_ row: StorageRow) {
    while rows.count <= row.type { rows.append([:]) }
    rows[row.type][row.row] = row.isRemoved ? nil : row
  }
}
