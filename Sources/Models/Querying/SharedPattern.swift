import Foundation

/// A pattern that queries take to any thread.
///
/// Unchecked because a pattern never changes, and what code of the program in it changes, one thread at a time does.
final class SharedPattern<Output>: @unchecked Sendable {
  private let pattern: Regex<Output>
  /// Nil for a pattern without code of the program, which all threads may look for at once.
  private let turn: PatternTurn?

  init(_ pattern: sending Regex<Output>) {
    // What Foundation can send anywhere is what a text can say.
    turn = PredicateExpressions.PredicateRegex(pattern) == nil ? PatternTurn() : nil
    self.pattern = pattern
  }

  /// Whether a text has a match. Patterns whose own code fails match nothing.
  ///
  /// - Throws: ``ModelError/failedQuery(_:)``.
  func hasMatch(in text: String) throws -> Bool {
    try turn?.take()
    defer { turn?.giveBack() }
    return (try? pattern.firstMatch(in: text)) != nil
  }
}

/// Whose turn it is to run the code in a pattern: one thread's at a time. That thread may take it again within.
///
/// Unchecked because all of it is under one lock, which is held for a few steps only, never while a pattern's code runs.
private final class PatternTurn: @unchecked Sendable {
  private static let changes = NSCondition()
  /// By thread: for what it waits.
  nonisolated(unsafe) private static var waits: [ObjectIdentifier: PatternTurn] = [:]

  private var owner: ObjectIdentifier?
  private var depth = 0

  /// Waits until no other thread has it.
  ///
  /// - Throws: ``ModelError/failedQuery(_:)`` if one of those that it would have to wait for waits for this thread.
  func take() throws {
    let thread = ObjectIdentifier(Thread.current)
    Self.changes.lock()
    defer { Self.changes.unlock() }
    while let owner, owner != thread {
      if isEndless(thread) {
        throw ModelError.failedQuery("the code of a pattern waits, over other threads, for itself")
      }
      Self.waits[thread] = self
      Self.changes.wait()
      Self.waits[thread] = nil
    }
    owner = thread
    depth += 1
  }

  func giveBack() {
    Self.changes.lock()
    depth -= 1
    if depth == 0 {
      owner = nil
      Self.changes.broadcast()
    }
    Self.changes.unlock()
  }

  /// Whether a thread that waits for it would wait for itself.
  private func isEndless(_ thread: ObjectIdentifier) -> Bool {
    var turn = self
    while let owner = turn.owner {
      if owner == thread { return true }
      guard let next = Self.waits[owner] else { return false }
      turn = next
    }
    return false
  }
}
