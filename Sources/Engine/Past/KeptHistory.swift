import GQLCatalog
import GQLStore

/// What a database keeps of the past of the types that say so, besides its newest versions.
struct KeptHistory: Sendable {
  /// A version of some types that was made again by records.
  struct Rewound: Sendable {
    var moment: PastMoment
    var types: [Int]
    var version: PastVersion
  }
  let types: HistoryTypes
  /// Of a database in memory; else its storage has them.
  var records: HistoryRecords?
  /// The one that was used last comes last.
  private var rewound: [Rewound] = []
  /// Counts how often something was erased.
  private var erasures = 0
  private static let mostRewound = 8

  init(types: HistoryTypes, records: HistoryRecords?) {
    self.types = types
    self.records = records
  }

  mutating func append(_ commit: Commit) {
    // What cannot be read is found when it is applied.
    guard let found = try? commit.changes.records(of: types) else { return }
    if found.rows.contains(where: \.isErasing) {
      rewound = []
      erasures += 1
    }
    records?.append(found, version: commit.version, time: commit.time)
  }

  func rewound(_ moment: PastMoment, _ types: [Int]) -> PastVersion? {
    rewound.last { $0.moment == moment && $0.types == types }?.version
  }

  mutating func keep(_ made: Rewound, of history: KeptHistory) {
    guard history.erasures == erasures, history.types == types else { return }
    rewound.removeAll { $0.moment == made.moment && $0.types == made.types }
    if rewound.count >= Self.mostRewound { rewound.removeFirst() }
    rewound.append(made)
  }
}
