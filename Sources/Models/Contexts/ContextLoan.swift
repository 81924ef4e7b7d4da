import Synchronization

/// Says of a context, and of all that is made of it, that code of the program changes it within a save, a deletion or
/// an update of a database.
///
/// What runs knows rows by their numbers, and types by theirs. They stand for the same in what becomes of the context,
/// and in its copies, but not in what was there before, or in another one.
final class ContextLoan: Sendable {
  /// The loan within which this one is.
  private let outer: ContextLoan?
  private let over = Atomic<Bool>(false)

  init(within other: ContextLoan?) {
    var outer = other
    // Copies of the context that were kept know it still.
    while let loan = outer, loan.over.load(ordering: .relaxed) { outer = loan.outer }
    self.outer = outer
  }

  func end() { over.store(true, ordering: .relaxed) }

  /// Whether it is the other loan, or within that one.
  func isWithin(_ other: ContextLoan) -> Bool {
    var next: ContextLoan? = self
    while let loan = next {
      if loan === other { return true }
      next = loan.outer
    }
    return false
  }
}

extension Context {
  /// Lets code of the program change the context.
  ///
  /// - Throws: ``ModelError/contextReplaced(_:)``, if another one is in its place afterwards.
  package mutating func lend<Output>(
    to type: @autoclosure () -> String, _ body: (inout Context) throws -> Output
  ) throws -> Output {
    own()
    let outer = storage.loan
    let loan = ContextLoan(within: outer)
    storage.loan = loan
    defer { loan.end() }
    let output = try body(&self)
    guard storage.loan?.isWithin(loan) == true else { throw ModelError.contextReplaced(type()) }
    own()
    storage.loan = outer
    return output
  }
}
