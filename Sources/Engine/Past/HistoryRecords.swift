import GQLBase
import GQLCatalog
import GQLStore

/// Where the past of a type begins: the oldest version that can be made again, and since when it was the newest.
package struct HistoryStart: Sendable, Hashable {
  package var version: Int64
  package var time: Int64

  package init(version: Int64, time: Int64) {
    self.version = version
    self.time = time
  }

  package static let ever = HistoryStart(version: 0, time: .min)
}

/// A step that takes the changes of one version back, of rows of one type.
package struct HistoryStep {
  package var type: Int
  package var version: Int64
  package var time: Int64
  package var rows: [UInt32]
  package var changes: ChangeSet
  /// A name of who has made the version; nil where none was given.
  package var origin: String?

  package init(type: Int, version: Int64, time: Int64, rows: [UInt32], changes: ChangeSet, origin: String?) {
    self.type = type
    self.version = version
    self.time = time
    self.rows = rows
    self.changes = changes
    self.origin = origin
  }
}

/// A question for the records of some types: how to go back to a moment.
package struct HistoryRequest: Sendable {
  /// The catalog of the version that is gone back from.
  package var catalog: Catalog
  /// All types whose past is kept.
  package var kept: HistoryTypes
  /// Those that are gone back.
  package var types: [Int]
  /// The version that is gone back from.
  package var newest: Int64
  var moment: PastMoment

  /// Returns whether a change is taken back.
  package func isLater(version: Int64, time: Int64) -> Bool {
    switch moment {
    case .version(let number): version > number
    case .time(let instant): time > instant
    }
  }

  /// Calls with what takes commits back, as long as that returns true. Returns false where it does not.
  ///
  /// - Parameters:
  ///   - commits: The oldest first. Their times ascend.
  ///   - erased: By type, the rows whose entities went for good later.
  package func forEachStep(
    of commits: [Commit], _ erased: inout [Int: Set<UInt32>], _ body: (HistoryStep) -> Bool
  ) throws(ChangeProblem) -> Bool {
    for commit in commits.reversed() where commit.version <= newest {
      if !isLater(version: commit.version, time: commit.time) { break }
      let records = try commit.changes.records(of: kept)
      for type in types {
        var rows: [RowRecords.Row] = []
        for row in records.rows where row.type == type && !(erased[type]?.contains(row.row) ?? false) {
          if row.isErasing { erased[type, default: []].insert(row.row) } else { rows.append(row) }
        }
        if rows.isEmpty { continue }
        let changes = records.bytes.withUnsafeBytes { bytes in
          ChangeSet(
            type: type, rows: rows.map { (row: $0.row, content: UnsafeRawBufferPointer(rebasing: bytes[$0.content])) })
        }
        let step = HistoryStep(
          type: type, version: commit.version, time: commit.time, rows: rows.map(\.row), changes: changes,
          origin: commit.origin)
        if !body(step) { return false }
      }
    }
    return true
  }

  /// Returns whether the moment is not before the start of a past.
  func isWithin(_ start: HistoryStart) -> Bool {
    switch moment {
    case .version(let number): number >= start.version
    case .time(let instant): instant >= start.time
    }
  }
}

/// The records of a database in memory, by type: some twenty bytes for each change of a row, and the old values.
struct HistoryRecords: Sendable {
  /// Records of versions that follow one another, each as the distance of its version and time from those before, the
  /// number of rows, and for each its number, the length of its content, and that.
  private struct Chunk {
    var bytes: ContiguousArray<UInt8> = []
    var first: HistoryStart
    var last: HistoryStart
  }
  private struct Kind {
    var start: HistoryStart
    var chunks: [Chunk] = []
    /// By row: the version with which its entity went for good. Its records before are passed over until they are dropped.
    var erased: [UInt32: Int64] = [:]
    var count = 0
    /// The number of records with which those that are too many are looked for.
    var nextTrim = HistoryRecords.fewRecords
  }
  /// One record, in the bytes of a chunk.
  private struct Entry {
    var version: Int64
    var time: Int64
    var rows: [(row: UInt32, content: Range<Int>)] = []
  }
  private static let chunkBytes = 16 << 10
  private static let fewRecords = 1024

  let types: HistoryTypes
  private var kinds: [Kind?]
  private var lastTime = Int64.min
  /// By version: who has made it, where somebody was named.
  private var origins: [Int64: String] = [:]
  /// The number of origins with which those that nothing is kept of are looked for.
  private var nextOriginTrim = HistoryRecords.fewOrigins
  private static let fewOrigins = 4096

  init(_ types: HistoryTypes, from start: HistoryStart) {
    self.types = types
    kinds = types.types.map { $0.map { _ in Kind(start: start) } }
    lastTime = start.time
  }

  /// Bytes that records take.
  var byteCount: Int {
    kinds.reduce(0) { $0 + ($1?.chunks.reduce(0) { $0 + $1.bytes.count } ?? 0) }
      + origins.reduce(0) { $0 + $1.value.utf8.count + MemoryLayout<(Int64, String)>.stride }
  }

  /// Where the past of a type begins; nil where none is kept.
  func start(of type: Int) -> HistoryStart? { kinds.indices.contains(type) ? kinds[type]?.start : nil }

  // MARK: - Keeping

  /// Adds what takes a commit back. Complexity: O(*n*) in its rows, over many commits.
  mutating func append(_ records: RowRecords, version: Int64, time: Int64, origin: String?) {
    lastTime = max(lastTime, time)
    let moment = HistoryStart(version: version, time: lastTime)
    var first = records.rows.startIndex
    while first < records.rows.endIndex {
      let type = records.rows[first].type
      let end = records.rows[first...].firstIndex { $0.type != type } ?? records.rows.endIndex
      if kinds[type] != nil { append(records.rows[first..<end], records.bytes, to: type, moment) }
      first = end
    }
    if let origin, records.rows.contains(where: { !$0.isErasing }) { note(origin, of: version) }
  }

  /// Notes who has made a version, and now and then forgets those of versions of which no record is left.
  private mutating func note(_ origin: String, of version: Int64) {
    origins[version] = origin
    if origins.count < nextOriginTrim { return }
    var kept: Set<Int64> = [version]
    for chunk in kinds.compactMap({ $0?.chunks }).joined() {
      for entry in chunk.bytes.withUnsafeBytes({ Self.entries(of: chunk, $0) }) { kept.insert(entry.version) }
    }
    origins = origins.filter { kept.contains($0.key) }
    nextOriginTrim = max(Self.fewOrigins, 2 * origins.count)
  }

  private mutating func append(
    _ rows: ArraySlice<RowRecords.Row>, _ bytes: ContiguousArray<UInt8>, to type: Int, _ moment: HistoryStart
  ) {
    let kept = rows.filter { !$0.isErasing }
    for row in rows where row.isErasing { kinds[type]?.erased[row.row] = moment.version }
    if !kept.isEmpty {
      write(kept.lazy.map { ($0.row, bytes[$0.content]) }, count: kept.count, to: type, moment)
    }
    trim(type, moment)
  }

  private mutating func write(
    _ rows: some Sequence<(UInt32, ArraySlice<UInt8>)>, count: Int, to type: Int, _ moment: HistoryStart
  ) {
    guard let number = kinds[type]?.chunks.count else { return }
    var last = number - 1
    if last < 0 || (kinds[type]?.chunks[last].bytes.count ?? 0) >= Self.chunkBytes {
      kinds[type]?.chunks.append(Chunk(first: moment, last: moment))
      last += 1
      kinds[type]?.chunks[last].bytes.reserveCapacity(Self.chunkBytes + 256)
    }
    // In place: nothing is copied.
    guard let before = kinds[type]?.chunks[last].last else { return }
    func put(_ value: UInt64, _ records: inout HistoryRecords) {
      var value = value
      while value >= 0x80 {
        records.kinds[type]?.chunks[last].bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
        value >>= 7
      }
      records.kinds[type]?.chunks[last].bytes.append(UInt8(truncatingIfNeeded: value))
    }
    put(UInt64(bitPattern: moment.version &- before.version), &self)
    put(UInt64(bitPattern: moment.time &- before.time), &self)
    put(UInt64(count), &self)
    for (row, content) in rows {
      put(UInt64(row), &self)
      put(UInt64(content.count), &self)
      kinds[type]?.chunks[last].bytes.append(contentsOf: content)
    }
    kinds[type]?.chunks[last].last = moment
    kinds[type]?.count += count
  }

  // MARK: - Dropping

  /// Drops what a type's rule does not keep, and what is erased, once that is much.
  private mutating func trim(_ type: Int, _ moment: HistoryStart) {
    guard let history = types[type] else { return }
    let oldest = history.rule?.duration.map { Self.start(of: $0, moment) }
    if let oldest, history.rule?.versions == nil {
      while let first = kinds[type]?.chunks.first, first.last.time < oldest, kinds[type]?.chunks.count ?? 0 > 1 {
        dropFirst(type)
      }
    }
    if !history.owners.isEmpty {
      // Kept as long as those on which its rows depend.
      let start = history.owners.compactMap { kinds[$0.type]?.start.version }.min() ?? 0
      while let first = kinds[type]?.chunks.first, first.last.version <= start { dropFirst(type) }
    }
    if isFull(type, history) { rewrite(type, most: history.rule?.versions ?? .max, before: oldest ?? .max) }
  }

  /// When the past begins of what is kept for a time. A clock that goes wrong makes nothing old.
  private static func start(of duration: Int64, _ moment: HistoryStart) -> Int64 {
    let (time, isBefore) = min(moment.time, WallClock.now).subtractingReportingOverflow(duration)
    return isBefore ? .min : time
  }

  /// Returns whether so much is to be dropped that a type's records are worth writing anew.
  private func isFull(_ type: Int, _ history: TypeHistory) -> Bool {
    guard let kind = kinds[type] else { return false }
    return kind.count >= kind.nextTrim && history.rule?.versions != nil
      || kind.erased.count > 64 && kind.erased.count > kind.count / 64
  }

  private mutating func dropFirst(_ type: Int) {
    guard let first = kinds[type]?.chunks.first else { return }
    kinds[type]?.start = first.last
    let count = first.bytes.withUnsafeBytes { Self.entries(of: first, $0).reduce(0) { $0 + $1.rows.count } }
    kinds[type]?.count -= count
    kinds[type]?.chunks.removeFirst()
  }

  /// Writes a type's records anew: none of entities that are erased, and of others so many of each row, those that are
  /// not before a time, or both.
  private mutating func rewrite(_ type: Int, most: Int64, before oldest: Int64) {
    guard let old = kinds[type] else { return }
    var counts: [UInt32: Int64] = [:]
    var start = old.start
    // From the newest on: which rows of which entry stay.
    var kept: [(moment: HistoryStart, rows: [(UInt32, ArraySlice<UInt8>)])] = []
    for chunk in old.chunks.reversed() {
      let entries = chunk.bytes.withUnsafeBytes { Self.entries(of: chunk, $0) }
      for entry in entries.reversed() {
        var rows: [(UInt32, ArraySlice<UInt8>)] = []
        for (row, content) in entry.rows {
          if let version = old.erased[row], entry.version <= version { continue }
          let count = counts[row, default: 0]
          if count >= most, entry.time < oldest {
            if entry.version > start.version { start = HistoryStart(version: entry.version, time: entry.time) }
            continue
          }
          counts[row] = count + 1
          rows.append((row, chunk.bytes[content]))
        }
        if !rows.isEmpty { kept.append((HistoryStart(version: entry.version, time: entry.time), rows)) }
      }
    }
    kinds[type] = Kind(start: start)
    for (moment, rows) in kept.reversed() { write(rows, count: rows.count, to: type, moment) }
    let count = kinds[type]?.count ?? 0
    kinds[type]?.nextTrim = max(Self.fewRecords, 2 * count)
  }

  /// Notes that nothing was there of some types before.
  mutating func begin(_ empty: Set<Int>) {
    for type in empty { kinds[type]?.start = .ever }
  }

  /// The records under another schema: those of types that are the same. What began then begins with `start`.
  func moved(to types: HistoryTypes, by mapping: HistoryMapping, from start: HistoryStart) -> HistoryRecords {
    var result = HistoryRecords(types, from: start)
    result.lastTime = max(lastTime, start.time)
    (result.origins, result.nextOriginTrim) = (origins, nextOriginTrim)
    for type in types.types.indices where result.kinds[type] != nil {
      guard let former = mapping.types[type], let kind = kinds[former.type] else { continue }
      result.kinds[type] = kind
      guard let mapping = former.records else { continue }
      result.kinds[type]?.chunks = []
      result.kinds[type]?.count = 0
      for chunk in kind.chunks {
        for entry in chunk.bytes.withUnsafeBytes({ Self.entries(of: chunk, $0) }) {
          result.write(entry, of: chunk, kind.erased, to: type, by: mapping)
        }
      }
    }
    return result
  }

  /// Adds an entry under another schema.
  private mutating func write(
    _ entry: Entry, of chunk: Chunk, _ erased: [UInt32: Int64], to type: Int, by mapping: RecordMapping
  ) {
    let moment = HistoryStart(version: entry.version, time: entry.time)
    var rows: [(UInt32, ArraySlice<UInt8>)] = []
    for (row, content) in entry.rows where erased[row].map({ entry.version > $0 }) ?? true {
      switch mapping.record(chunk.bytes[content]) {
      case .content(let content): rows.append((row, content[...]))
      case .nothing: break
      case .misfit:
        // The past begins after it.
        kinds[type]?.chunks = []
        kinds[type]?.count = 0
        kinds[type]?.start = moment
        return
      }
    }
    if !rows.isEmpty { write(rows, count: rows.count, to: type, moment) }
  }

  // MARK: - Reading

  /// Calls with what takes the changes after a moment back, for each type the newest first, as long as that returns true.
  func forEachStep<Failure: Error>(
    _ request: HistoryRequest, _ body: (HistoryStep) throws(Failure) -> Bool
  ) throws(Failure) {
    for type in request.types {
      guard let kind = kinds[type] else { continue }
      chunks: for chunk in kind.chunks.reversed() {
        if !request.isLater(version: chunk.last.version, time: chunk.last.time) { break }
        let entries = chunk.bytes.withUnsafeBytes { Self.entries(of: chunk, $0) }
        for entry in entries.reversed() where entry.version <= request.newest {
          if !request.isLater(version: entry.version, time: entry.time) { break chunks }
          if let step = step(type, entry, chunk, kind.erased), try !body(step) { return }
        }
      }
    }
  }

  private func step(_ type: Int, _ entry: Entry, _ chunk: Chunk, _ erased: [UInt32: Int64]) -> HistoryStep? {
    var rows = entry.rows
    if !erased.isEmpty { rows.removeAll { erased[$0.row].map { entry.version <= $0 } ?? false } }
    if rows.isEmpty { return nil }
    let changes = chunk.bytes.withUnsafeBytes { bytes in
      ChangeSet(
        type: type, rows: rows.map { (row: $0.row, content: UnsafeRawBufferPointer(rebasing: bytes[$0.content])) })
    }
    return HistoryStep(
      type: type, version: entry.version, time: entry.time, rows: rows.map(\.row), changes: changes,
      origin: origins[entry.version])
  }

  /// Reads a chunk, which only this file writes.
  private static func entries(of chunk: Chunk, _ bytes: UnsafeRawBufferPointer) -> [Entry] {
    var entries: [Entry] = []
    var offset = 0
    func next() -> UInt64 {
      var (value, shift) = (UInt64(0), UInt64(0))
      while offset < bytes.count {
        let byte = bytes[offset]
        offset += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { break }
        shift += 7
      }
      return value
    }
    var (version, time) = (chunk.first.version, chunk.first.time)
    while offset < bytes.count {
      version &+= Int64(bitPattern: next())
      time &+= Int64(bitPattern: next())
      var entry = Entry(version: version, time: time)
      for _ in 0..<Int(next()) {
        let row = UInt32(truncatingIfNeeded: next())
        let count = Int(next())
        entry.rows.append((row, offset..<(offset + count)))
        offset += count
      }
      entries.append(entry)
    }
    return entries
  }
}
