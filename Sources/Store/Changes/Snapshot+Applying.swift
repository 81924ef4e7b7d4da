import GQLBase

extension Snapshot {
  /// Returns the version that changes lead to, one after the other.
  package func applying(_ changes: some Sequence<ChangeSet>) throws(ChangeProblem) -> Snapshot {
    var transaction: WriteTransaction?
    for set in changes where !set.isEmpty {
      let open = transaction ?? WriteTransaction(self, fold: foldText)
      transaction = open
      try open.apply(set)
    }
    return transaction?.commit() ?? self
  }
}
