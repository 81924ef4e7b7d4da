import GQLBase
import GQLStore

/// A two-way set-associative cache with LRU replacement, keyed by the bytes that a document is recognized by, the name
/// of its source and the version of the schema.
struct TextCache<Content> {
  private struct Entry {
    var hash: UInt64
    var bytes: [UInt8]
    var name: String
    var catalogVersion: UInt64
    var content: Content

    func matches(_ bytes: UnsafeRawBufferPointer, _ key: TextKey) -> Bool {
      hash == key.hash && catalogVersion == key.catalogVersion && name == key.name
        && self.bytes.withUnsafeBytes { compareBytes($0, bytes) == 0 }
    }
  }
  private var entries: [Entry?] = []
  private static var sets: Int { 32 }

  mutating func find(_ bytes: UnsafeRawBufferPointer, _ key: TextKey) -> Content? {
    if entries.isEmpty { return nil }
    let first = Int(key.hash % UInt64(Self.sets)) * 2
    for place in first...first + 1 {
      guard let entry = entries[place], entry.matches(bytes, key) else { continue }
      if place > first { entries.swapAt(first, place) }
      return entry.content
    }
    return nil
  }

  /// Keeps the content in the place of what had the key, or else of what was used longer ago.
  mutating func insert(_ content: Content, _ bytes: UnsafeRawBufferPointer, _ key: TextKey) {
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.sets * 2) }
    let first = Int(key.hash % UInt64(Self.sets)) * 2
    if find(bytes, key) == nil { entries.swapAt(first, first + 1) }
    entries[first] = Entry(
      hash: key.hash, bytes: Array(bytes), name: key.name, catalogVersion: key.catalogVersion, content: content)
  }
}

/// A key of an entry of a ``TextCache``, beside its bytes.
struct TextKey {
  let hash: UInt64
  let name: String
  let catalogVersion: UInt64

  init(_ bytes: UnsafeRawBufferPointer, name: String, catalogVersion: UInt64) {
    hash = bytes.baseAddress.map { KeyHash.text(TextView($0, count: bytes.count), KeyHash.seed) } ?? 0
    self.name = name
    self.catalogVersion = catalogVersion
  }

  /// A key of other bytes for the same source and schema.
  init(_ bytes: UnsafeRawBufferPointer, like other: TextKey) {
    self.init(bytes, name: other.name, catalogVersion: other.catalogVersion)
  }
}
