import GQLStore

extension Database {
  /// The newest version, and the number of its last transaction.
  func look() -> (snapshot: Snapshot, version: Int64) {
    guard let committer else { return state.withPublished { ($0.snapshot, $0.version) } }
    // Where what others keep cannot be read, what is there is seen.
    if committer.following != nil { _ = try? refresh() }
    let (found, old) = state.withLock { state in
      let old = state.publishKept(committer)
      return ((state.snapshot, state.version), old)
    }
    return withExtendedLifetime(old) { found }
  }

  /// Indicates whether others write what it shows.
  var followsOthers: Bool { committer?.following != nil }

  /// Returns the number of the transaction that is published next. Called by the one writer.
  func nextVersion(after state: State) -> Int64 { committer?.durable ?? state.version + 1 }
}
