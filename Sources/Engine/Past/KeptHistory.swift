import GQLCatalog
import GQLStore

/// A history of the types that ask for one, besides the newest versions of a database.
struct KeptHistory: Sendable {
  /// A version of some types that was made again by records.
  struct Rewound: Sendable {
    var moment: PastMoment
    var types: [Int]
    var version: PastVersion
  }
  /// The catalog whose numbers the records have.
  let catalog: Catalog
  let types: HistoryTypes
  /// Of a database in memory; else its storage has them.
  var records: HistoryRecords?
  /// The versions of entities, once somebody has asked for them.
  let versions = KeptVersions()
  /// The one that was used last comes last.
  private var rewound: [Rewound] = []
  /// The newest version with which something was erased. What was made of an earlier one may hold that still.
  private(set) var lastErasure: Int64
  private static let mostRewound = 8

  /// - Parameter version: That with which the catalog came. Nothing goes with an earlier one.
  init(_ catalog: Catalog, since version: Int64, types: HistoryTypes, records: HistoryRecords?) {
    self.catalog = catalog
    lastErasure = version
    self.types = types
    self.records = records
  }

  mutating func append(_ commit: Commit) {
    // What cannot be read is found when it is applied.
    guard let found = try? commit.changes.records(of: types) else { return }
    if found.rows.contains(where: \.isErasing) {
      rewound = []
      lastErasure = commit.version
      versions.forget()
    }
    records?.append(found, version: commit.version, time: commit.time, origin: commit.origin)
  }

  /// Returns a version that was made before. Fields that are out of the history are those of the newest version.
  func rewound(_ moment: PastMoment, _ types: [Int], from newest: Int64) -> PastVersion? {
    guard let found = rewound.last(where: { $0.moment == moment && $0.types == types })?.version else { return nil }
    if found.newest == newest { return found }
    return types.contains { self.types[$0]?.isLeftOut.contains(true) ?? false } ? nil : found
  }

  /// Returns whether the records of types never go, unless they are erased.
  func isUnlimited(_ numbers: [Int]) -> Bool {
    numbers.allSatisfy { number in
      guard let type = types[number] else { return false }
      let rules = type.rule.map { [$0] } ?? type.owners.compactMap { types[$0.type]?.rule }
      return rules.count == max(1, type.owners.count) && rules.allSatisfy { $0.duration == nil && $0.versions == nil }
    }
  }

  mutating func keep(_ made: Rewound, of history: KeptHistory) {
    guard made.version.newest >= lastErasure, history.catalog.version == catalog.version else { return }
    rewound.removeAll { $0.moment == made.moment && $0.types == made.types }
    if rewound.count >= Self.mostRewound { rewound.removeFirst() }
    rewound.append(made)
  }
}
