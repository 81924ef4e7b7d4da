/// Keys of access paths that cannot be computed for some element.
extension Execution {
  /// Does something for all elements of a batch, or where a key of the access path fails for one of them, for each by
  /// itself: by the scan for those whose key fails. `work` gets the number of its first element, too.
  @inline(__always)
  func byKeys(
    _ set: CompiledSet, _ scopes: ScopeRows,
    _ work: (CompiledSet, ScopeRows, Int) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) {
    guard let scan = set.whenKeysFail, keysFail(set, scopes) else { return try work(set, scopes, 0) }
    guard set.isCorrelated, scopes.count > 1 else { return try work(scan, scopes, 0) }
    for element in 0..<scopes.count {
      let one = scopes.element(element)
      try work(keysFail(set, one) ? scan : set, one, element)
    }
  }

  /// Whether a key of the access path fails for one of the elements.
  func keysFail(_ set: CompiledSet, _ scopes: ScopeRows) -> Bool {
    guard let keys = set.failingKeys else { return false }
    do {
      _ = try keys.vectors(scopes, self)
      return false
    } catch {
      // A run that has to end does so at the scan's first look.
      return true
    }
  }
}
