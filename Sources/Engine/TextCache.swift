import GQLBase
import GQLStore

/// Operations by the texts that they were prepared from, so that a text is not read and bound again.
///
/// Two places for each hash value: what comes in takes the place of the one that was used longer ago.
struct TextCache {
  private struct Entry {
    var hash: UInt64
    var text: ContiguousArray<UInt8>
    var name: String
    var catalogVersion: UInt64
    var operation: PreparedOperation
  }
  private var entries: [Entry?] = []
  /// Another number whenever what documents are prepared with has changed.
  private(set) var epoch: UInt64 = 0
  private static let sets = 32
  /// Longer texts are not kept.
  static let longestText = 16 << 10

  static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    text.baseAddress.map { KeyHash.text(TextView($0, count: text.count), KeyHash.seed) } ?? 0
  }

  /// The operation of a text under a source's name.
  mutating func find(
    _ text: UnsafeRawBufferPointer, hash: UInt64, name: String, catalogVersion: UInt64
  ) -> PreparedOperation? {
    if entries.isEmpty { return nil }
    let first = Int(hash % UInt64(Self.sets)) * 2
    for place in first...first + 1 {
      guard let entry = entries[place], entry.hash == hash, entry.catalogVersion == catalogVersion,
        entry.name == name, entry.text.withUnsafeBytes({ compareBytes($0, text) == 0 })
      else { continue }
      if place > first { entries.swapAt(first, place) }
      return entry.operation
    }
    return nil
  }

  /// Keeps an operation that was prepared in `epoch`.
  mutating func insert(
    _ operation: PreparedOperation, _ text: UnsafeRawBufferPointer, hash: UInt64, name: String,
    catalogVersion: UInt64, epoch: UInt64
  ) {
    guard epoch == self.epoch else { return }
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.sets * 2) }
    let first = Int(hash % UInt64(Self.sets)) * 2
    entries.swapAt(first, first + 1)
    entries[first] = Entry(
      hash: hash, text: ContiguousArray(text), name: name, catalogVersion: catalogVersion, operation: operation)
  }

  /// Forgets all: documents are prepared with other limits or commands from now on.
  mutating func removeAll() {
    entries = []
    epoch += 1
  }
}
