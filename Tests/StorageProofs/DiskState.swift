import Foundation
import GQLDifferential

/// The files of a disk while events happen to them one after the other.
struct DiskHistory {
  private let events: [WatchedDisk.Event]
  private var next = 0
  /// What was synced.
  private var synced = DiskFiles()
  /// What was done to each file since it was synced last.
  private var waiting: [String: [WatchedDisk.Event]] = [:]
  private var acknowledged: Int64 = 0

  init(_ events: [WatchedDisk.Event]) { self.events = events }

  /// Goes on to a number of events.
  mutating func advance(to end: Int) {
    while next < end {
      let event = events[next]
      next += 1
      switch event {
      case .write(let file, _, _), .truncate(let file, _): waiting[file, default: []].append(event)
      case .sync(let file):
        for event in waiting[file] ?? [] { synced.apply(event) }
        waiting[file] = nil
        synced.make(file)
      case .delete(let file):
        waiting[file] = nil
        synced.remove(file)
      case .acknowledged(let version): acknowledged = version
      }
    }
  }

  /// What is on the disk if the power goes now: what was synced, and a part of the rest.
  func state(_ random: inout SeededRandom) -> DiskState {
    let percent = random.pick([0, 100, 50, 90, 10])
    var files = synced
    for file in waiting.keys.sorted() {
      for event in waiting[file] ?? [] { files.apply(event, percent, &random) }
    }
    return DiskState(files: files, acknowledged: acknowledged, how: "\(percent) % of what was not synced")
  }
}

/// What is on a disk after the power has gone.
struct DiskState {
  fileprivate let files: DiskFiles
  let acknowledged: Int64
  let how: String

  func write(_ path: String, _ name: String) throws {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
      if suffix != "-shm", let content = files.contents[name + suffix] {
        try Data(content).write(to: URL(filePath: path + suffix))
      }
    }
  }
}

/// Files by name, as bytes.
private struct DiskFiles {
  private(set) var contents: [String: [UInt8]] = [:]

  mutating func make(_ file: String) { contents[file, default: []] += [] }
  mutating func remove(_ file: String) { contents[file] = nil }

  mutating func apply(_ event: WatchedDisk.Event) {
    switch event {
    case .write(let file, let offset, let bytes): put(file, offset, bytes[...])
    case .truncate(let file, let size):
      guard let old = contents[file]?.count, old > size else { return }
      contents[file]?.removeLast(old - size)
    case .sync, .delete, .acknowledged: break
    }
  }

  /// Does a part of an event.
  mutating func apply(_ event: WatchedDisk.Event, _ percent: Int, _ random: inout SeededRandom) {
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

  /// In place, so that no file is copied for each of its pages.
  private mutating func put(_ file: String, _ offset: Int, _ bytes: ArraySlice<UInt8>) {
    let missing = offset + bytes.count - contents[file, default: []].count
    if missing > 0 { contents[file, default: []] += repeatElement(0, count: missing) }
    contents[file, default: []].replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }
}
