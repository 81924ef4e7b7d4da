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
  /// Indicates whether the change is one of the moment that is asked for, or of before, which has made no version.
  package var isOfTimes = false

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

  /// Indicates whether changes before the moment are read, too: those that have made no version.
  package var looksBack: Bool { types.contains { kept[$0]?.timeColumn != nil } }

  /// Calls with what takes commits back, as long as that returns true. Returns false where it does not.
  ///
  /// - Parameters:
  ///   - commits: The oldest first. Their times ascend.
  ///   - known: Notes on rows, which the commits add to.
  package func forEachStep(
    of commits: [Commit], _ known: inout HistoryRows, _ body: (HistoryStep) -> Bool
  ) throws(ChangeProblem) -> Bool {
    for commit in commits.reversed() where commit.version <= newest {
      let isLater = isLater(version: commit.version, time: commit.time)
      if !isLater, known.open.isEmpty { break }
      let records = try commit.changes.records(of: kept)
      for type in types where isLater || known.open[type] != nil {
        let rows = records.rows.filter { row in
          row.type == type && (isLater ? known.isKept(row, kept) : known.isOfTimes(row, records, kept))
        }
        if rows.isEmpty { continue }
        let changes = records.bytes.withUnsafeBytes { bytes in
          ChangeSet(
            type: type, rows: rows.map { (row: $0.row, content: UnsafeRawBufferPointer(rebasing: bytes[$0.content])) })
        }
        var step = HistoryStep(
          type: type, version: commit.version, time: commit.time, rows: rows.map(\.row), changes: changes,
          origin: commit.origin)
        step.isOfTimes = !isLater
        if !body(step) { return false }
      }
    }
    return true
  }
}

/// Notes on rows of the commits that are taken back, by type.
package struct HistoryRows {
  /// The rows whose entities went for good later.
  package private(set) var erased: [Int: Set<UInt32>] = [:]
  /// Rows that have changed after the moment, and of which nothing is known that changed a version before that: their
  /// latest changes before it may be such as have made none.
  package private(set) var open: [Int: Set<UInt32>] = [:]

  package init() {}

  /// Returns whether a change after the moment is taken back.
  fileprivate mutating func isKept(_ row: RowRecords.Row, _ kept: HistoryTypes) -> Bool {
    if erased[row.type]?.contains(row.row) ?? false { return false }
    if row.isErasing {
      erased[row.type, default: []].insert(row.row)
    } else if kept[row.type]?.timeColumn != nil {
      open[row.type, default: []].insert(row.row)
    }
    return !row.isErasing
  }

  /// Returns whether a change before the moment has made no version, and is taken back with a later one.
  fileprivate mutating func isOfTimes(_ row: RowRecords.Row, _ records: RowRecords, _ kept: HistoryTypes) -> Bool {
    guard open[row.type]?.contains(row.row) ?? false, let column = kept[row.type]?.timeColumn else { return false }
    if !row.isErasing, TimesRecord(records.bytes[row.content], column: column) != nil { return true }
    open[row.type]?.remove(row.row)
    return false
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
    /// Holds what goes into the next record of a row.
    var times: PendingTimes
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
  /// Indicates whether the past of some entity was erased.
  private(set) var hasErased = false
  private var lastTime = Int64.min
  /// By version: who has made it, where somebody was named.
  private var origins: [Int64: String] = [:]
  /// The number of origins with which those that nothing is kept of are looked for.
  private var nextOriginTrim = HistoryRecords.fewOrigins
  private static let fewOrigins = 4096

  init(_ types: HistoryTypes, from start: HistoryStart) {
    self.types = types
    kinds = types.types.map { $0.map { Kind(start: start, times: PendingTimes(column: $0.timeColumn)) } }
    lastTime = start.time
  }

  /// Bytes that records take.
  var byteCount: Int {
    kinds.reduce(0) { $0 + ($1?.chunks.reduce($1?.times.byteCount ?? 0) { $0 + $1.bytes.count } ?? 0) }
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
    var isAny = false
    while first < records.rows.endIndex {
      let type = records.rows[first].type
      let end = records.rows[first...].firstIndex { $0.type != type } ?? records.rows.endIndex
      if kinds[type] != nil, append(records.rows[first..<end], records.bytes, to: type, moment) { isAny = true }
      first = end
    }
    if let origin, isAny { note(origin, of: version) }
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

  /// Returns whether some record was added.
  private mutating func append(
    _ rows: ArraySlice<RowRecords.Row>, _ bytes: ContiguousArray<UInt8>, to type: Int, _ moment: HistoryStart
  ) -> Bool {
    let kept = rows.filter { !$0.isErasing }
    for row in rows where row.isErasing {
      kinds[type]?.erased[row.row] = moment.version
      kinds[type]?.times.erase(row.row)
      hasErased = true
    }
    var isAny = !kept.isEmpty
    if types[type]?.timeColumn != nil {
      isAny = add(kept.map { ($0.row, bytes[$0.content]) }, to: type, moment)
    } else if isAny {
      write(kept.lazy.map { ($0.row, bytes[$0.content]) }, count: kept.count, to: type, moment)
    }
    trim(type, moment)
    return isAny
  }

  /// Adds records of a type with fields that are left out. Returns whether there are some now.
  @discardableResult
  private mutating func add(_ rows: [(UInt32, ArraySlice<UInt8>)], to type: Int, _ moment: HistoryStart) -> Bool {
    let joined = rows.compactMap { row, content -> (UInt32, ArraySlice<UInt8>)? in
      kinds[type]?.times.take(content, row, moment).map { (row, $0[...]) }
    }
    if !joined.isEmpty { write(joined, count: joined.count, to: type, moment) }
    return !joined.isEmpty
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
    kinds[type] = Kind(start: start, times: old.times)
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
    result.hasErased = hasErased
    (result.origins, result.nextOriginTrim) = (origins, nextOriginTrim)
    for type in types.types.indices where result.kinds[type] != nil {
      guard let former = mapping.types[type], let kind = kinds[former.type] else { continue }
      result.kinds[type] = kind
      guard let mapping = former.records else { continue }
      result.kinds[type]?.chunks = []
      result.kinds[type]?.count = 0
      result.kinds[type]?.times = PendingTimes(column: types[type]?.timeColumn)
      for (chunk, entry) in Self.entries(of: kind) {
        result.write(entry, of: chunk, kind.erased, to: type, by: mapping)
      }
    }
    return result
  }

  /// Returns all records, the oldest first, each with the chunk that has its content.
  private static func entries(of kind: Kind) -> [(chunk: Chunk, entry: Entry)] {
    var found = kind.chunks.flatMap { chunk in
      chunk.bytes.withUnsafeBytes { entries(of: chunk, $0) }.map { (chunk: chunk, entry: $0) }
    }
    if kind.times.rows.isEmpty { return found }
    for (row, times) in kind.times.rows {
      let entry = Entry(version: times.moment.version, time: times.moment.time, rows: [(row, times.content.indices)])
      found.append((Chunk(bytes: times.content, first: times.moment, last: times.moment), entry))
    }
    // Rows of one version are in no order.
    return found.sorted { $0.entry.version < $1.entry.version }
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
        kinds[type]?.times = PendingTimes(column: types[type]?.timeColumn)
        kinds[type]?.start = moment
        return
      }
    }
    if types[type]?.timeColumn != nil {
      add(rows, to: type, moment)
    } else if !rows.isEmpty {
      write(rows, count: rows.count, to: type, moment)
    }
  }

  // MARK: - Reading

  /// Calls with what takes the changes after a moment back, for each type the newest first, as long as that returns true.
  func forEachStep<Failure: Error>(
    _ request: HistoryRequest, _ body: (HistoryStep) throws(Failure) -> Bool
  ) throws(Failure) {
    for type in request.types {
      guard let kind = kinds[type] else { continue }
      // They are the newest of their rows.
      for step in kind.times.steps(type, request, origins) where try !body(step) { return }
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
