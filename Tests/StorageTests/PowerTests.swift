import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import StorageTask
import Testing

/// The power goes at any instant: what was synced is on the disk, and of what was not, any part in blocks of 512 bytes.
/// Each such state opens at a commit not before the last that was acknowledged, with the content of that commit.
@Suite(.serialized) struct PowerTests {
  private static let states = 160

  @Test func statesOfTheDisk() throws {
    var (count, later) = (0, 0)
    let runs = 2 * Proofs.factor
    for run in 0..<runs {
      let seed = Proofs.seed &* 1_000 &+ UInt64(run)
      let recording = try Recording(seed)
      var random = SeededRandom(seed: seed)
      let folder = try Folder()
      let path = folder.file("power.gqlite")
      for _ in 0..<(Self.states / 2) {
        let state = DiskState(recording.events, to: random.below(recording.events.count + 1), &random)
        try state.write(path, "recorded.gqlite")
        let problem: String?
        do {
          let opened = try Database(path: path, schema: state.acknowledged == 0 ? Workload.schema : nil)
          if opened.version > state.acknowledged { later += 1 }
          problem = try recording.problem(opened, state.acknowledged)
        } catch { problem = "\(error)" }
        count += 1
        #expect(
          problem == nil,
          "seed \(seed), \(state.end) of \(recording.events.count) events, \(state.how): \(problem ?? "")")
        if problem != nil { return }
      }
    }
    print("power: \(count) states, \(later) of them later than what was acknowledged")
  }
}

/// What one database did to its files, and the content of each of its versions.
private struct Recording {
  var events: [WatchedDisk.Event] = []
  var contents: [Int64: String] = [:]

  init(_ seed: UInt64) throws {
    let folder = try Folder()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    disk.records = true
    var random = SeededRandom(seed: seed)
    var options = StorageOptions()
    options.folding.logBytes = random.pick([1_000, 4_000, 16 << 20])
    options.folding.sliceRows = random.pick([2, 10, 100])
    options.folding.largeCommit = random.pick([3_000, 4 << 20])
    let path = folder.file("recorded.gqlite")
    var database = try Database(path: path, schema: Workload.schema, storage: options)
    contents[0] = try database.run(Workload.everything).jsonString
    let workload = Workload(seed: seed, threads: 1)
    try workload.begin(database)
    try note(database, disk)
    for number in 1...45 {
      try workload.run(number, of: 0, in: database)
      try note(database, disk)
      if random.chance(4) {
        try database.changeSchema(to: number % 2 == 0 ? Workload.schema : Workload.widerSchema, allowingLoss: true)
        try note(database, disk)
      }
      if random.chance(6) {
        try database.close()
        database = try Database(path: path, storage: options)
      }
    }
    if random.chance(50) { try database.close() }
    events = disk.events
  }

  private mutating func note(_ database: Database, _ disk: WatchedDisk) throws {
    contents[database.version] = try database.run(Workload.everything).jsonString
    disk.note(.acknowledged(database.version))
  }

  func problem(_ database: Database, _ acknowledged: Int64) throws -> String? {
    let version = database.version
    guard version >= acknowledged else { return "it opens at \(version), and \(acknowledged) was acknowledged" }
    let problems = database.check()
    if !problems.isEmpty { return "check: \(problems.prefix(3))" }
    guard let wanted = contents[version] else { return "there was no version \(version)" }
    let found = try database.run(Workload.everything).jsonString
    return found == wanted ? nil : "version \(version): \(Proofs.firstDifference(found, wanted))"
  }
}

/// What is on a disk after the power has gone.
private struct DiskState {
  private var files: [String: [UInt8]] = [:]
  private(set) var acknowledged: Int64 = 0
  let end: Int
  let how: String

  init(_ events: [WatchedDisk.Event], to end: Int, _ random: inout SeededRandom) {
    self.end = end
    let percent = random.pick([0, 100, 50, 90, 10])
    how = "\(percent) % of what was not synced"
    var waiting: [String: [WatchedDisk.Event]] = [:]
    for event in events.prefix(end) {
      switch event {
      case .write(let file, _, _), .truncate(let file, _): waiting[file, default: []].append(event)
      case .sync(let file):
        for event in waiting[file] ?? [] { apply(event) }
        waiting[file] = nil
        files[file, default: []] += []
      case .delete(let file):
        waiting[file] = nil
        files[file] = nil
      case .acknowledged(let version): acknowledged = version
      }
    }
    for file in waiting.keys.sorted() {
      for event in waiting[file] ?? [] { lose(event, percent, &random) }
    }
  }

  private mutating func apply(_ event: WatchedDisk.Event) {
    switch event {
    case .write(let file, let offset, let bytes): put(file, offset, bytes[...])
    case .truncate(let file, let size):
      guard let old = files[file], old.count > size else { return }
      files[file] = Array(old.prefix(size))
    case .sync, .delete, .acknowledged: break
    }
  }

  /// Does a part of what was not synced.
  private mutating func lose(_ event: WatchedDisk.Event, _ percent: Int, _ random: inout SeededRandom) {
    guard case .write(let file, let offset, let bytes) = event else {
      if random.chance(percent) { apply(event) }
      return
    }
    var start = offset
    while start < offset + bytes.count {
      let next = min(offset + bytes.count, (start / 512 + 1) * 512)
      if random.chance(percent) { put(file, start, bytes[(start - offset)..<(next - offset)]) }
      start = next
    }
  }

  private mutating func put(_ file: String, _ offset: Int, _ bytes: ArraySlice<UInt8>) {
    var content = files[file] ?? []
    let missing = offset + bytes.count - content.count
    if missing > 0 { content += Array(repeating: 0, count: missing) }
    content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    files[file] = content
  }

  func write(_ path: String, _ name: String) throws {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
      if suffix != "-shm", let content = files[name + suffix] {
        try Data(content).write(to: URL(filePath: path + suffix))
      }
    }
  }
}
