/// How a database keeps its data.
public struct StorageOptions: Sendable, Hashable {
  /// A right to a file.
  public enum Access: Sendable, Hashable {
    /// This database reads and writes it, and no other writes to it meanwhile.
    case write
    /// This database reads it as it is now, and never writes to it.
    case read
    /// This database reads it, and sees what another process or database commits to it. It never writes to it.
    case follow
  }

  /// When a change counts as made.
  public enum Durability: Sendable, Hashable {
    /// When it survives the loss of power.
    case full
    /// When it survives the end of the process, however it ends.
    case normal
    /// At once; it is written by ``GQLEngine/Database/flush()``, ``GQLEngine/Database/close()``, and after 16 MiB.
    case memory
  }

  /// The right to the file.
  public var access: Access
  /// When a change counts as made.
  public var durability: Durability
  /// Allows making a file that is missing.
  public var creates: Bool
  /// Allows another schema to lose data.
  public var allowsLoss: Bool
  /// Allows a file on a network file system, which no other machine may use meanwhile.
  public var allowsNetwork: Bool
  /// The bytes of changes that are kept in memory, by which earlier versions are made again; 0 for none.
  public var recentVersions: Int
  /// The system's list of mounts, for tests.
  package var mounts: String?
  /// When rows are written; small for tests.
  package var folding = FoldingLimits()

  /// Options; those that are not given are the usual ones.
  public init(
    access: Access = .write, durability: Durability = .full, creates: Bool = true, allowsLoss: Bool = false,
    allowsNetwork: Bool = false, recentVersions: Int = 64 << 20
  ) {
    self.access = access
    self.durability = durability
    self.creates = creates
    self.allowsLoss = allowsLoss
    self.allowsNetwork = allowsNetwork
    self.recentVersions = recentVersions
  }
}

/// When the log of a file is folded into its rows.
package struct FoldingLimits: Sendable, Hashable {
  /// Bytes of the log above which rows are written.
  package var logBytes = 16 << 20
  /// Bytes of one commit that is written as rows at once, and not to the log.
  package var largeCommit = 4 << 20
  /// Bytes of records that stay after their commits were folded, for followers and people.
  package var keptBytes = 4 << 20
  /// Rows that are written between two commits: a few milliseconds.
  package var sliceRows = 1500
  /// Milliseconds without a commit after which rows are written; 0 for never.
  package var delay = 1000
  /// Rows of a type above which its indexes are built after opening, while queries run.
  package var pendingRows = 50_000

  package init() {}
}
