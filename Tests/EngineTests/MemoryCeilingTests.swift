import Foundation
import GQLBase
import GQLite
import Testing

/// The memory that the process may have where no limit is given.
@Suite struct MemoryCeilingTests {
  @Test func isThreeQuartersOfWhatThereIs() throws {
    #expect(MemoryCeiling.bytes > 0)
    let physical = Int(ProcessInfo.processInfo.physicalMemory)
    #expect(MemoryCeiling.bytes <= physical / 4 * 3)
    #expect(MemoryCeiling.resident.map { $0 > 1 << 20 } != false)
  }

  /// Folders as the kernel shows them; the smallest limit on the way counts.
  @Test func controlGroups() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gqlite-groups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let inner = folder.appending(path: "a/b")
    let memory = folder.appending(path: "memory/c")
    for path in [inner, memory] { try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true) }
    func write(_ text: String, _ path: String) throws {
      try Data(text.utf8).write(to: folder.appending(path: path))
    }
    func limit(_ groups: String) -> Int { MemoryCeiling.controlGroupLimit(inFolder: folder.path, groups: groups) }
    #expect(limit("0::/a/b") == Int.max)
    try write("max\n", "a/b/memory.max")
    #expect(limit("0::/a/b") == Int.max)
    try write("5000\n", "a/memory.max")
    #expect(limit("0::/a/b") == 5000)
    try write("4000\n", "a/b/memory.max")
    #expect(limit("0::/a/b") == 4000)
    #expect(limit("0::/a") == 5000)
    try write("3000\n", "memory/c/memory.limit_in_bytes")
    #expect(limit("3:cpu,memory:/c\n0::/") == 3000)
    #expect(limit("3:cpu:/c\n") == Int.max)
    #expect(limit("nonsense\n0::/../..\n") == Int.max)
  }

  @Test func isReached() {
    #expect(MemoryCeiling.isReached(taking: MemoryCeiling.bytes + 1))
    #expect(!MemoryCeiling.isReached(taking: 0) || MemoryCeiling.resident ?? 0 > MemoryCeiling.bytes)
  }
}
