import Foundation
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// A backend that is made as `CONTRIBUTING.md` says, step by step.
@Suite struct FolderBackendTests {
  @Test func passesTheSuite() throws {
    let folder = try Folder()
    #expect(StorageConformance.check { FolderBackend(folder.file("place")) } == [])
  }

  @Test func keepsADatabase() throws {
    let folder = try Folder()
    let place = folder.file("place")
    let first = try Database(FolderBackend(place), schema: "type Product { id: ID! name: String! }")
    try first.run(#"mutation { insertProduct(data: {id: 1, name: "Lamp"}) { id } }"#)
    // Without closing, as a process that is killed.
    #expect(
      try Database(FolderBackend(place)).run("{ Product { name } }").jsonString == #"{"Product":[{"name":"Lamp"}]}"#)
    // A record that is gone is missed once rows have been written for it.
    try first.close()
    let changed = folder.file("place/0/rows/0-0")
    var bytes = try Data(contentsOf: URL(filePath: changed))
    bytes[bytes.count - 5] ^= 1
    try bytes.write(to: URL(filePath: changed))
    #expect { try Database(FolderBackend(place)) } throws: {
      ($0 as? QueryError)?.problems.first?.code == "storage-corrupt"
    }
  }
}

/// A folder: a file of the state, and in a folder for each generation a file for each record and row.
///
/// A generation is what lies between two replacements of everything. The state names the one that holds.
private final class FolderBackend: StorageBackend, @unchecked Sendable {
  private let folder: URL
  private var generation = 0
  private var state: StorageState?

  init(_ path: String) { folder = URL(filePath: path) }

  var name: String { folder.lastPathComponent }

  // MARK: - Places

  private func place(_ kind: String) -> URL { folder.appending(path: "\(generation)/\(kind)") }
  private func names(_ kind: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: place(kind).path)) ?? []
  }

  /// A file appears as a whole.
  private func put(_ bytes: [UInt8], _ kind: String, _ name: String) throws {
    try FileManager.default.createDirectory(at: place(kind), withIntermediateDirectories: true)
    try Data(bytes).write(to: place(kind).appending(path: name), options: .atomic)
  }

  private static func joined(_ number: Int64, _ bytes: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) } + bytes
  }

  private static func split(_ bytes: Data) -> (number: Int64, bytes: [UInt8]) {
    (bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) }, Array(bytes.dropFirst(8)))
  }

  // MARK: - The state

  private struct Head: Codable {
    var generation: Int
    var schema: String
    var folded: Int64
    var foldedSum: UInt32
    var newest: Int64
    var newestSum: UInt32
  }

  private func save(_ state: StorageState) throws {
    let head = Head(
      generation: generation, schema: state.schema, folded: state.folded.version, foldedSum: state.folded.sum,
      newest: state.newest.version, newestSum: state.newest.sum)
    try JSONEncoder().encode(head).write(to: folder.appending(path: "state"), options: .atomic)
    self.state = state
  }

  private func readState() throws {
    guard let bytes = try? Data(contentsOf: folder.appending(path: "state")) else { return state = nil }
    let head = try JSONDecoder().decode(Head.self, from: bytes)
    generation = head.generation
    state = StorageState(
      schema: head.schema, folded: StoragePoint(version: head.folded, sum: head.foldedSum),
      newest: StoragePoint(version: head.newest, sum: head.newestSum))
  }

  // MARK: - Reading

  func open(_ options: StorageOptions) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try readState()
  }

  func read(into reader: StorageReader) throws {
    try readState()
    guard let state else { return }
    try reader.begin(state)
    let rows = names("rows").map { $0.split(separator: "-").compactMap { Int($0) } }
    for row in rows.sorted(by: { ($0[0], $0[1]) < ($1[0], $1[1]) }) {
      let (version, bytes) = Self.split(
        try Data(contentsOf: place("rows").appending(path: "\(row[0])-\(row[1])")))
      try reader.add(StorageRow(type: row[0], row: row[1], version: version, bytes: bytes))
    }
    for record in try allRecords() { try reader.add(record) }
  }

  private func allRecords() throws -> [StorageRecord] {
    try names("records").compactMap { Int64($0) }.sorted().map { version in
      let (time, bytes) = Self.split(try Data(contentsOf: place("records").appending(path: "\(version)")))
      return StorageRecord(version: version, time: time, bytes: bytes)
    }
  }

  func records(after version: Int64) throws -> [StorageRecord]? {
    let before = (generation, state?.schema)
    try readState()
    guard let state, (generation, state.schema) == before else { return nil }
    let found = try allRecords().filter { $0.version > version }
    if let first = found.first { return first.version == version + 1 ? found : nil }
    return version >= state.folded.version ? [] : nil
  }

  func changeMark() throws -> Int64 {
    try readState()
    let newest = names("records").compactMap { Int64($0) }.max() ?? 0
    return max(newest, state?.newest.version ?? 0) * 1_000 + Int64(generation % 1_000)
  }

  // MARK: - Writing

  func append(_ records: [StorageRecord]) throws {
    for record in records { try put(Self.joined(record.time, record.bytes), "records", "\(record.version)") }
  }

  func write(_ rows: StorageRows, holding point: StoragePoint?) throws {
    guard var state else { return }
    for row in rows { try put(row) }
    state.newest = rows.point
    if let point { state.folded = point }
    try save(state)
  }

  private func put(_ row: StorageRow) throws {
    let name = "\(row.type)-\(row.row)"
    if row.isRemoved {
      try? FileManager.default.removeItem(at: place("rows").appending(path: name))
    } else {
      try put(Self.joined(row.version, row.bytes), "rows", name)
    }
  }

  func forget(through version: Int64) throws {
    for known in names("records").compactMap({ Int64($0) }) where known <= version {
      try FileManager.default.removeItem(at: place("records").appending(path: "\(known)"))
    }
  }

  func replace(_ state: StorageState, with rows: StorageRows) throws {
    let old = self.state == nil ? nil : generation
    if let old { generation = old + 1 }
    // What an earlier attempt has left there.
    try? FileManager.default.removeItem(at: folder.appending(path: "\(generation)"))
    do {
      for row in rows { try put(row) }
      try save(state)
    } catch {
      generation = old ?? 0
      throw error
    }
    if let old { try? FileManager.default.removeItem(at: folder.appending(path: "\(old)")) }
  }

  func close() throws { state = nil }
}
