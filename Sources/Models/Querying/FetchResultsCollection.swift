/// A result of a query, read in batches when they are looked at: a value that never changes.
///
/// Some of the batches that were looked at last are kept.
public struct FetchResultsCollection<Element: EntityModelProtocol>: RandomAccessCollection {
  private let batches: ResultBatches<Element>?
  /// Counts the entities.
  public let count: Int

  init(_ list: QueryList<Element>, in context: Context, batchSize: Int) throws {
    let reading = try QueryReading<Element>.of(context)
    try self.init(list, reading, FoundRows(try reading?.rows(list) ?? []), batchSize: batchSize)
  }

  package init(
    _ list: QueryList<Element>, _ reading: QueryReading<Element>?, _ found: FoundRows, batchSize: Int
  ) throws {
    guard let reading else {
      batches = nil
      count = 0
      return
    }
    let batches = ResultBatches(list, reading, found, batchSize: Swift.max(1, batchSize))
    // Reading an element cannot fail later, because a collection has no way to say so.
    if !batches.isAlwaysReadable { try batches.readAll() }
    self.batches = batches
    count = batches.rows.count
  }

  /// 0.
  public var startIndex: Int { 0 }
  /// ``count``.
  public var endIndex: Int { count }

  /// The entity at an index.
  public subscript(position: Int) -> Element {
    guard let batches, position >= 0, position < count else {
      preconditionFailure("index \(position) is beyond the \(count) results")
    }
    return batches.batch(position / batches.batchSize)[position % batches.batchSize]
  }

  /// Goes through all entities, one batch in memory at a time.
  public func makeIterator() -> Iterator { Iterator(batches: batches) }

  /// Goes through all entities.
  public struct Iterator: IteratorProtocol {
    fileprivate let batches: ResultBatches<Element>?
    private var current: ArraySlice<Element> = []
    private var next_ = 0

    fileprivate init(batches: ResultBatches<Element>?) { self.batches = batches }

    /// The next entity.
    public mutating func next() -> Element? {
      if let element = current.popFirst() { return element }
      guard let batches, next_ * batches.batchSize < batches.rows.count else { return nil }
      current = batches.batch(next_)[...]
      next_ += 1
      return current.popFirst()
    }
  }
}

extension FetchResultsCollection: Sendable {}

/// The rows of a query, and the entities of some of them.
///
/// Unchecked because what changes is under the lock, and the rest is never written.
private final class ResultBatches<Entity: EntityModelProtocol>: @unchecked Sendable {
  var rows: [UInt32] { found.rows }
  let batchSize: Int
  private let list: QueryList<Entity>
  private let reading: QueryReading<Entity>
  /// The rows, and what comes with their entities where that has been looked for.
  private let found: FoundRows
  private let kept = Guarded<[(number: Int, entities: [Entity])]>([])
  private static var keptBatches: Int { 8 }

  init(_ list: QueryList<Entity>, _ reading: QueryReading<Entity>, _ found: FoundRows, batchSize: Int) {
    self.list = list
    self.reading = reading
    self.found = found
    self.batchSize = batchSize
  }

  var isAlwaysReadable: Bool {
    reading.mapping.info.isAlwaysReadable && list.nestedIsAlwaysReadable
  }

  func readAll() throws {
    for number in stride(from: 0, to: rows.count, by: batchSize) { _ = try read(number / batchSize) }
  }

  private func read(_ number: Int) throws -> [Entity] {
    let start = number * batchSize
    let places = start..<Swift.min(rows.count, start + batchSize)
    return try reading.entities(found.part(places), list.nested, only: list.attributes)
  }

  func batch(_ number: Int) -> [Entity] {
    kept.withLock { kept in
      if let found = kept.first(where: { $0.number == number }) { return found.entities }
      guard let entities = try? read(number) else {
        preconditionFailure("\(Entity.self).init(from:) threw an error that reading its row did not")
      }
      if kept.count == Self.keptBatches { kept.removeFirst() }
      kept.append((number, entities))
      return entities
    }
  }
}
