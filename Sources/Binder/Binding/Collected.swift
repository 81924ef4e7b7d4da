import GQLBase
import GQLCatalog
import GQLParser

/// A selection of one object, grouped by response key.
struct Collected {
  private(set) var merged: [MergedEntry] = []
  /// The places of the keys, once there are many.
  private var index: [String: Int] = [:]
  /// So many keys are compared one by one.
  private static let fewKeys = 12
  /// The type of the entities that are selected from.
  var root: EntityTypeID?
  /// The one type of which they are known to be here.
  var runtime: EntityTypeID?
  /// Members that type conditions are about, where the runtime type is open.
  var mentioned: Set<EntityTypeID> = []
  /// The `let`s, which count as fields.
  private(set) var letCount = 0
  private(set) var lastLet: SourceRange?

  mutating func countLet(at range: SourceRange) {
    letCount += 1
    lastLet = range
  }

  /// The place of a key.
  func place(_ key: String) -> Int? {
    merged.count <= Self.fewKeys ? merged.firstIndex { $0.key == key } : index[key]
  }

  mutating func add(_ entry: SelectionEntry) {
    let key = entry.key.text
    if let position = place(key) {
      merged[position].entries.append(entry)
      return
    }
    merged.append(MergedEntry(key: key, entries: [entry]))
    if merged.count == Self.fewKeys + 1 {
      for (position, known) in merged.enumerated() { index[known.key] = position }
    } else if merged.count > Self.fewKeys {
      index[key] = merged.count - 1
    }
  }

  /// Has one field for each key with what the directives of all its appearances say.
  mutating func joinDirectives() {
    for place in merged.indices where merged[place].entries.count > 1 { merged[place].joinDirectives() }
  }
}
