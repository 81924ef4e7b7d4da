/// A direction in which instances are sorted.
public enum QuerySortOrder: Hashable, Sendable {
  /// Smaller values come first.
  case ascending
  /// Greater values come first.
  case descending
}

/// A choice of instances of a model, and their order.
public struct QueryDescriptor<Result: ModelProtocol> {
  let isIncluded: ((Result) -> Bool)?
  let areInOrder: ((Result, Result) -> Bool)?

  /// A choice of instances in an order; of all, in the order in which they were created, where nothing is said.
  public init(
    filter isIncluded: ((Result) -> Bool)? = nil, sort areInOrder: ((Result, Result) -> Bool)? = nil
  ) {
    (self.isIncluded, self.areInOrder) = (isIncluded, areInOrder)
  }

  /// A choice of instances in the order of a value.
  public init<Value: Comparable>(
    filter isIncluded: ((Result) -> Bool)? = nil, sort order: QuerySortOrder, using value: @escaping (Result) -> Value
  ) {
    self.init(filter: isIncluded) { first, second in
      order == .ascending ? value(first) < value(second) : value(second) < value(first)
    }
  }

  /// A choice of instances in the ascending order of a value.
  public init<Value: Comparable>(
    filter isIncluded: ((Result) -> Bool)? = nil, sortBy value: @escaping (Result) -> Value
  ) {
    self.init(filter: isIncluded, sort: .ascending, using: value)
  }

  /// Returns the instances of a database, without those that are deleted.
  public func results(in database: any Database) -> [Result] {
    let found: [Result] = database.all { isIncluded?($0) ?? true }
    guard let areInOrder else { return found }
    // Of equal ones, the first stays the first.
    return found.enumerated().sorted { first, second in
      if areInOrder(first.element, second.element) { return true }
      return first.offset < second.offset && !areInOrder(second.element, first.element)
    }.map(\.element)
  }
}
