/// A draft of changes of a database, which takes them when they are committed.
///
/// ```swift
/// let context = database.createEditingContext()
/// let item: Item = context.create(id: 123)
/// item.value = 42
/// context.commitChanges()
/// ```
/// What was not changed is read from the database as it is, or as it was when the context was made. A context is used by
/// one thread at a time. Contexts can be made of contexts.
public final class EditingContext: Database {
  private let database: any Database
  /// The state that the changes lie over; nil for the database as it is.
  private let base: HistoryView?
  private var changes: [Path: DatabaseChange] = [:]
  /// The paths in the order in which they were first changed.
  private var order: [Path] = []

  init(_ database: any Database, base: HistoryView? = nil) { (self.database, self.base) = (database, base) }

  private var below: any Database { base ?? database }

  /// Indicates whether there is anything to commit.
  public var hasChanges: Bool { !changes.isEmpty }

  /// Returns the value of a path: that of the context, or else of the database.
  public func get<Value: DatabaseValue>(_ path: Path) -> Value? {
    if let change = changes[path] { return change.value as? Value }
    return below.get(path)
  }

  /// Notes the value of a path.
  public func set<Value: DatabaseValue>(_ value: Value, for path: Path) { apply([DatabaseChange(path, value)]) }

  /// Notes several values.
  @discardableResult
  public func apply(_ changes: [DatabaseChange]) -> Bool {
    for change in changes {
      if self.changes.updateValue(change, forKey: change.path) == nil { order.append(change.path) }
    }
    return true
  }

  /// Returns what `predicate` makes of the instances of a model, those of the context last.
  public func all<T>(model: ModelKey, where predicate: (InstanceKey, InstanceStatus) -> T?) -> [T] {
    var known: Set<InstanceKey> = []
    let own = order.filter { $0.model == model && $0.property == .instanceId }
    // Nothing of the program is called while the database lists its instances.
    let below: [(InstanceKey, InstanceStatus)] = self.below.all(model: model) { ($0, $1) }
    var found: [(InstanceKey, InstanceStatus)] = below.map { instance, status in
      known.insert(instance)
      return (instance, edited(Path(model: model, instance: instance)) ?? status)
    }
    for path in own where !known.contains(path.instance) {
      if let status = edited(path) { found.append((path.instance, status)) }
    }
    return found.compactMap(predicate)
  }

  private func edited(_ path: Path) -> InstanceStatus? { changes[path]?.value as? InstanceStatus }

  /// Notes a model in the database.
  public func register<Model: ModelProtocol>(_ model: Model.Type) { database.register(model) }

  /// Writes all changes to the database, in one transaction where it has such, and goes on without any.
  ///
  /// - Returns: False where the database has refused them, which it reports: all are still here then.
  @discardableResult
  public func commitChanges() -> Bool {
    let list = order.compactMap { changes[$0] }
    guard list.isEmpty || database.apply(list) else { return false }
    discardChanges()
    base?.moveToNewest()
    return true
  }

  /// Forgets all changes. The state below them stays.
  public func discardChanges() {
    changes = [:]
    order = []
  }

  /// Shows what the database has become since the context was made, or moved last. The changes stay.
  public func moveToCurrentState() { base?.moveToNewest() }
}

extension Database {
  /// Returns a context over the database as it is, and as it changes.
  public func createEditingContext() -> EditingContext { EditingContext(self) }
}

extension HistoryDatabase {
  /// Returns a context over the database as it is now, in which later changes do not appear.
  public func createEditingContextWithCurrentState() -> EditingContext {
    EditingContext(self, base: HistoryView(ofNewest: self))
  }
}
