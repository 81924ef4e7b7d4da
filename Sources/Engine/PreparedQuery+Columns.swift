extension PreparedQuery {
  /// The keys of the objects in the one root list of the answer, in order; nil if the answer is anything else. Tables
  /// need them where the list is empty.
  ///
  /// - Throws: ``QueryError``, as ``run(_:options:)``.
  package func columns(_ variables: [String: Value] = [:]) throws(QueryError) -> [String]? {
    let query = try bound(variables, database.catalog)
    guard query.fields.count == 1, case .many(let selection) = query.fields[0].content else { return nil }
    switch query.selections[Int(selection.index)].shape {
    case .object(let fields): return fields.map(\.key)
    case .groups(let grouping): return grouping.fields.map(\.key)
    case .value: return nil
    }
  }
}
