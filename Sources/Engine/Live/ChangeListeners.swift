import GQLStore

/// Those who are told what each commit changes.
struct ChangeListeners {
  /// A call with changes, and with the number of the transaction, where it is one. No changes stands for any.
  typealias Body = @Sendable (ChangeSet?, Int64?) -> Void
  private struct Listener {
    let body: Body
    /// Indicates whether it has been told that it may have missed something before it came.
    var isGreeted = false
  }
  private var listeners: [UInt64: Listener] = [:]
  private var last: UInt64 = 0
  private var hasChanged = false

  var isEmpty: Bool { listeners.isEmpty }
  var hasNewcomers: Bool { listeners.values.contains { !$0.isGreeted } }

  mutating func add(_ body: @escaping Body) -> UInt64 {
    last += 1
    listeners[last] = Listener(body: body)
    hasChanged = true
    return last
  }

  mutating func remove(_ number: UInt64) {
    listeners[number] = nil
    hasChanged = true
  }

  /// Returns those that there are, if others were there at the last call.
  mutating func takeChanged() -> ChangeListeners? {
    if !hasChanged { return nil }
    hasChanged = false
    let result = self
    for number in listeners.keys { listeners[number]?.isGreeted = true }
    return result
  }

  /// Tells newcomers that anything may have changed while they came.
  mutating func greet() {
    for (number, listener) in listeners where !listener.isGreeted {
      listeners[number]?.isGreeted = true
      listener.body(nil, nil)
    }
  }

  func tell(_ changes: ChangeSet?, _ version: Int64?) {
    if listeners.isEmpty { return }
    for listener in listeners.values { listener.body(changes, version) }
  }
}

/// As long as it lives, its closure is called with what commits of a database change.
package final class ChangeWatch: Sendable {
  private let notifier: LiveNotifier
  private let number: UInt64

  /// Calls `body` with the changes of commits, in order, on the thread that tells all who follow the database. Where they
  /// are those of one transaction, it gets its number, too. It gets no changes where anything may have changed: first of
  /// all, and after a change of the schema.
  package init(_ database: Database, _ body: @escaping @Sendable (ChangeSet?, Int64?) -> Void) {
    notifier = database.live
    number = notifier.listen(database, body)
  }

  deinit { notifier.unlisten(number) }
}
