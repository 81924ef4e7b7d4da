import GQLStore

/// A list of the commits since the last look.
struct LiveNews {
  /// A commit, by what is known of it.
  enum Commit {
    case changes(ChangeSet, version: Int64)
    case snapshot(Snapshot, version: Int64)

    var version: Int64 {
      switch self {
      case .changes(_, let version), .snapshot(_, let version): version
      }
    }
  }

  /// Those that are known, in order.
  private(set) var commits: [Commit] = []
  private var bytes = 0
  private var snapshots = 0
  /// Indicates whether there are others after these.
  var isUnknown = false
  /// Changes of more bytes are found by comparing versions.
  private static let mostBytes = 1 << 20
  /// Versions that are held, each with pages of its own.
  private static let mostSnapshots = 64

  mutating func add(_ set: ChangeSet, _ version: Int64) {
    if isUnknown { return }
    bytes += set.bytes.count + 64
    if bytes > Self.mostBytes {
      forget()
    } else {
      commits.append(.changes(set, version: version))
    }
  }

  mutating func add(_ snapshot: Snapshot, _ version: Int64) {
    if isUnknown { return }
    snapshots += 1
    if snapshots > Self.mostSnapshots {
      forget()
    } else {
      commits.append(.snapshot(snapshot, version: version))
    }
  }

  /// Takes the commits up to a version, and leaves those after it. Those that are not known may be either.
  mutating func take(through version: Int64) -> LiveNews {
    var taken = LiveNews()
    if let end = commits.firstIndex(where: { $0.version > version }) {
      taken.commits = Array(commits[..<end])
      commits.removeSubrange(..<end)
    } else {
      swap(&taken, &self)
      isUnknown = taken.isUnknown && version != .max
    }
    return taken
  }

  private mutating func forget() {
    commits = []
    isUnknown = true
  }
}
