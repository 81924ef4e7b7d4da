import GQLStore

/// The records of rows' latest changes that have made no version, by row; see ``TimesRecord``. Each goes into the next
/// record of its row.
package struct PendingTimes: Sendable {
  struct Times: Sendable {
    /// That of the latest of the changes.
    var moment: HistoryStart
    /// Leads back to the time of the version.
    var content: ContiguousArray<UInt8>
  }
  /// That of the time; nil where all changes make versions.
  private let column: Int?
  private(set) var rows: [UInt32: Times] = [:]

  package init(column: Int?) { self.column = column }

  var byteCount: Int { rows.reduce(0) { $0 + $1.value.content.count + MemoryLayout<(UInt32, Times)>.stride } }

  mutating func erase(_ row: UInt32) { rows[row] = nil }

  /// Takes a record, and returns what is to be kept of it now: nil where it goes into the next one of its row.
  mutating func take(
    _ content: some Collection<UInt8>, _ row: UInt32, _ moment: HistoryStart
  ) -> ContiguousArray<UInt8>? {
    guard let column else { return ContiguousArray(content) }
    if let times = TimesRecord(content, column: column) {
      rows[row] = Times(moment: moment, content: rows[row]?.content ?? times.content)
      return nil
    }
    guard let known = rows.removeValue(forKey: row), let times = TimesRecord(known.content, column: column) else {
      return ContiguousArray(content)
    }
    return times.merged(into: content)
  }

  /// Takes a record that is kept in any case, in the place of the one before where that is of times.
  ///
  /// - Returns: the record, and the version of the one whose place it takes.
  package mutating func joined(
    _ content: ContiguousArray<UInt8>, _ row: UInt32, _ version: Int64
  ) -> (content: ContiguousArray<UInt8>, before: Int64?) {
    let before = rows[row]?.moment.version
    let kept = take(content, row, HistoryStart(version: version, time: 0))
    return (kept ?? rows[row]?.content ?? content, before)
  }

  /// Returns the steps that take the changes after a moment back, the newest first.
  func steps(_ type: Int, _ request: HistoryRequest, _ origins: [Int64: String]) -> [HistoryStep] {
    if rows.isEmpty { return [] }
    var steps: [HistoryStep] = []
    for (row, times) in rows.sorted(by: { ($1.value.moment.version, $0.key) < ($0.value.moment.version, $1.key) }) {
      let moment = times.moment
      guard moment.version <= request.newest, request.isLater(version: moment.version, time: moment.time) else {
        continue
      }
      let changes = times.content.withUnsafeBytes { ChangeSet(type: type, rows: [(row: row, content: $0)]) }
      steps.append(
        HistoryStep(
          type: type, version: moment.version, time: moment.time, rows: [row], changes: changes,
          origin: origins[moment.version]))
    }
    return steps
  }
}
