import GQLEngine

/// A place of a value in a ``PathStore``: a model, one of its instances, and one of its properties, each by number.
public struct ValuePath: Sendable, Hashable {
  /// The number of the model.
  public var model: Int
  /// The number of the instance.
  public var instance: Int
  /// The number of the property.
  public var property: Int

  /// A place.
  public init(model: Int, instance: Int, property: Int) {
    self.model = model
    self.instance = instance
    self.property = property
  }
}

/// A store of values by path: three functions, with which a program keeps a database wherever it likes.
///
/// Each value is kept as a whole or not at all; nothing is expected of several. Values are kept when ``set(_:for:)``
/// returns.
public protocol PathStore: AnyObject, Sendable {
  /// Returns the value at a path; nil where there is none.
  func get(_ path: ValuePath) throws -> [UInt8]?

  /// Puts a value at a path; nil removes the one that is there.
  func set(_ value: [UInt8]?, for path: ValuePath) throws

  /// Returns the instances of a model that have a value, in any order.
  func all(model: Int) throws -> [Int]
}

/// A backend in a store of values by path.
///
/// | Model | Instance | Property | Value |
/// |---|---|---|---|
/// | 0 | 0 | 0 | the state: side, folded and newest version with their sums, number of types, schema |
/// | 0 | 1 | 0 | the number of types of a side that is being written |
/// | 1 | version | 0 | a record |
/// | 2 + 2 × type + side | row | 0 | a row |
///
/// A row is one value, because a store keeps no two values in one step. Everything is replaced by writing the other
/// *side*, and then the state.
public final class KeyValueBackend<Store: PathStore>: StorageBackend, @unchecked Sendable {
  private let store: Store
  private var head: Head?

  /// A backend in a store.
  public init(_ store: Store) { self.store = store }

  /// See ``StorageBackend/name``.
  public var name: String { "\(Store.self)" }

  // MARK: - The state

  /// A state as the value at its path has it.
  private struct Head {
    var side: Int
    var types: Int
    var state: StorageState

    init(side: Int, types: Int, state: StorageState) {
      self.side = side
      self.types = types
      self.state = state
    }

    /// Nil where the bytes are none.
    init?(_ bytes: [UInt8]) {
      let parts = bytes.split(separator: 0x0A, maxSplits: 6, omittingEmptySubsequences: false)
      guard parts.count == 7 else { return nil }
      let numbers = parts.prefix(6).compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
      guard numbers.count == 6, numbers[0] == 0 || numbers[0] == 1, (0...1_000_000).contains(numbers[5]),
        let folded = Self.point(numbers[1], numbers[2]), let newest = Self.point(numbers[3], numbers[4])
      else { return nil }
      self.init(
        side: Int(numbers[0]), types: Int(numbers[5]),
        state: StorageState(schema: String(decoding: parts[6], as: UTF8.self), folded: folded, newest: newest))
    }

    private static func point(_ version: Int64, _ sum: Int64) -> StoragePoint? {
      guard (0..<(1 << 62)).contains(version), let sum = UInt32(exactly: sum) else { return nil }
      return StoragePoint(version: version, sum: sum)
    }

    var bytes: [UInt8] {
      let numbers = [
        Int64(side), state.folded.version, Int64(state.folded.sum), state.newest.version, Int64(state.newest.sum),
        Int64(types),
      ]
      return Array("\(numbers.map { "\($0)" }.joined(separator: "\n"))\n\(state.schema)".utf8)
    }
  }

  private static var headPath: ValuePath { ValuePath(model: 0, instance: 0, property: 0) }
  private static var sidePath: ValuePath { ValuePath(model: 0, instance: 1, property: 0) }

  private func recordPath(_ version: Int64) -> ValuePath {
    ValuePath(model: 1, instance: Int(version), property: 0)
  }

  private func rowPath(_ type: Int, _ row: Int, side: Int) -> ValuePath {
    ValuePath(model: 2 + 2 * type + side, instance: row, property: 0)
  }

  private func readHead() throws -> Head? {
    guard let bytes = try store.get(Self.headPath) else { return nil }
    guard let head = Head(bytes) else {
      throw StorageProblem.corrupt("what it says of itself is not readable").error(name)
    }
    return head
  }

  // MARK: - Reading

  /// See ``StorageBackend/open(_:)``.
  public func open(_ options: StorageOptions) throws {
    head = try readHead()
    if head != nil, options.access == .write { try forgetStrayRecords() }
  }

  /// Removes records that a failure has left without those before them: their numbers are given again.
  private func forgetStrayRecords() throws {
    guard let state = head?.state else { return }
    var next = state.folded.version + 1
    while try store.get(recordPath(next)) != nil { next += 1 }
    // Where one is missing that was there, nothing is removed.
    if next <= state.newest.version { return }
    for version in try store.all(model: 1) where version > next { try store.set(nil, for: recordPath(Int64(version))) }
  }

  /// See ``StorageBackend/read(into:)``.
  public func read(into reader: StorageReader) throws {
    head = try readHead()
    guard let head else { return }
    try reader.begin(head.state)
    for type in 0..<head.types {
      for row in try store.all(model: 2 + 2 * type + head.side).sorted() {
        guard let bytes = try store.get(rowPath(type, row, side: head.side)) else { continue }
        try reader.add(try Self.row(type, row, bytes, name))
      }
    }
    let folded = head.state.folded.version
    for version in try store.all(model: 1).sorted() where version <= folded {
      if let record = try record(Int64(version)) { try reader.add(record) }
    }
    var next = folded + 1
    while let record = try record(next) {
      try reader.add(record)
      next += 1
    }
  }

  /// See ``StorageBackend/records(after:)``.
  public func records(after version: Int64) throws -> [StorageRecord]? {
    guard let found = try readHead() else { return [] }
    if found.side != head?.side || found.types != head?.types || found.state.schema != head?.state.schema { return nil }
    return try records(after: version, reaching: found.state.folded.version)
  }

  private func records(after version: Int64, reaching folded: Int64) throws -> [StorageRecord]? {
    var found: [StorageRecord] = []
    while let record = try record(version + 1 + Int64(found.count)) { found.append(record) }
    return version + Int64(found.count) < folded ? nil : found
  }

  /// A number that moves with the state and the newest record.
  public func changeMark() throws -> Int64 {
    guard let head = try readHead() else { return 0 }
    var newest = head.state.folded.version
    while try store.get(recordPath(newest + 1)) != nil { newest += 1 }
    return newest * 2 + Int64(head.side)
  }

  private func record(_ version: Int64) throws -> StorageRecord? {
    guard let bytes = try store.get(recordPath(version)) else { return nil }
    guard let (time, rest) = Self.split(bytes) else {
      throw StorageProblem.corrupt("commit \(version) is not readable").error(name)
    }
    return StorageRecord(version: version, time: time, bytes: rest)
  }

  private static func row(_ type: Int, _ row: Int, _ bytes: [UInt8], _ name: String) throws -> StorageRow {
    guard let (version, rest) = split(bytes) else {
      throw StorageProblem.corrupt("row \(row) of type \(type) is not readable").error(name)
    }
    return StorageRow(type: type, row: row, version: version, bytes: rest)
  }

  /// A number of eight bytes, the lowest first, and what follows it.
  private static func split(_ bytes: [UInt8]) -> (number: Int64, rest: [UInt8])? {
    guard bytes.count > 8 else { return nil }
    let number = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (Int64(bitPattern: number), Array(bytes.dropFirst(8)))
  }

  private static func joined(_ number: Int64, _ rest: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) } + rest
  }

  // MARK: - Writing

  /// See ``StorageBackend/append(_:)``.
  public func append(_ records: [StorageRecord]) throws {
    for record in records {
      try store.set(Self.joined(record.time, record.bytes), for: recordPath(record.version))
    }
  }

  /// See ``StorageBackend/write(_:holding:)``.
  public func write(_ rows: StorageRows, holding point: StoragePoint?) throws {
    guard var head else { return }
    for row in rows { try put(row, side: head.side) }
    head.state.newest = rows.point
    if let point { head.state.folded = point }
    try store.set(head.bytes, for: Self.headPath)
    self.head = head
  }

  private func put(_ row: StorageRow, side: Int) throws {
    let value = row.isRemoved ? nil : Self.joined(row.version, row.bytes)
    try store.set(value, for: rowPath(row.type, row.row, side: side))
  }

  /// See ``StorageBackend/forget(through:)``.
  public func forget(through version: Int64) throws {
    for known in try store.all(model: 1) where known <= version { try store.set(nil, for: recordPath(Int64(known))) }
  }

  /// See ``StorageBackend/replace(_:with:)``.
  public func replace(_ state: StorageState, with rows: StorageRows) throws {
    let old = head
    let side = old.map { 1 - $0.side } ?? 0
    // What an earlier attempt has left there.
    let left = try store.get(Self.sidePath).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    try clear(side, types: min(max(left, 0), 1_000_000))
    let types = rows.typeCount
    try store.set(Array("\(types)".utf8), for: Self.sidePath)
    for row in rows { try put(row, side: side) }
    let new = Head(side: side, types: types, state: state)
    try store.set(new.bytes, for: Self.headPath)
    head = new
    // The other side is not looked at any more.
    try store.set(Array("\(max(old?.types ?? 0, left))".utf8), for: Self.sidePath)
    try clear(1 - side, types: old?.types ?? 0)
    try forget(through: state.folded.version)
    try store.set(nil, for: Self.sidePath)
  }

  private func clear(_ side: Int, types: Int) throws {
    for type in 0..<types {
      for row in try store.all(model: 2 + 2 * type + side) { try store.set(nil, for: rowPath(type, row, side: side)) }
    }
  }

  /// See ``StorageBackend/close()``.
  public func close() throws { head = nil }
}
