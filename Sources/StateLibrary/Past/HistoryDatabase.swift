import Foundation
import GQLEngine

/// A database that has the values of earlier times.
public protocol HistoryDatabase: Database {
  /// Returns the value that a path had at a time; nil where it had none, or one of another type.
  func get<Value: DatabaseValue>(_ path: Path, at date: Date) -> Value?

  /// Returns what `predicate` makes of the instances that a model had at a time, with the status of that time.
  func all<T>(
    model: ModelKey, at date: Date, where predicate: (_ instance: InstanceKey, _ status: InstanceStatus) -> T?
  ) -> [T]
}

extension HistoryDatabase {
  /// Returns a view of the database at a time, in which models work as in any database.
  public func view(at date: Date) -> HistoryView { HistoryView(of: self, at: date) }
}

extension StateDatabase {
  /// Returns the values of a time; nil where none are kept, which is reported, as are models of which none are.
  ///
  /// The only place at which databases of models look into the past.
  ///
  /// - Parameter model: The model whose values are asked for; nil for all.
  func past(at date: Date, of model: ModelKey? = nil) -> StateSnapshot? {
    do {
      let past = try PastTypes(of: gqlite, at: date) { catalog in
        Set(StateLayout(catalog).tables.filter { model == nil || $0.key == model }.map(\.value.type))
      }
      for (_, error) in past.missing.sorted(by: { $0.key.index < $1.key.index }) { store.report(error, nil) }
      return StateSnapshot(past.snapshot, without: Set(past.missing.keys))
    } catch {
      store.report(error, nil)
      return nil
    }
  }

  /// Returns the value that a path had at a time; nil where it had none, or one of another type.
  public final func get<Value: DatabaseValue>(_ path: Path, at date: Date) -> Value? {
    past(at: date, of: path.model)?.get(path)
  }

  /// Returns what `predicate` makes of the instances that a model had at a time, with the status of that time.
  public final func all<T>(
    model: ModelKey, at date: Date, where predicate: (_ instance: InstanceKey, _ status: InstanceStatus) -> T?
  ) -> [T] {
    past(at: date, of: model)?.all(model: model, where: predicate) ?? []
  }
}

/// A view of a database as it was at a time.
///
/// It is a database like any other, but for changes, which are ignored and reported to ``errors``. It is used by one
/// thread at a time.
public final class HistoryView: Database {
  private enum Source {
    /// A version, which stays as it is.
    case version(StateSnapshot)
    /// A time of a database of the program's.
    case time(Date)
    /// Nothing is kept of the time.
    case nothing
  }

  private let wrapped: any HistoryDatabase
  private var source: Source
  /// The time of the view.
  public private(set) var date: Date
  /// The changes that were ignored; of GQLite's databases also what these report.
  public let errors: StateErrors

  /// A view of a database at a time.
  public init(of wrapped: any HistoryDatabase, at date: Date) {
    (self.wrapped, self.date) = (wrapped, date)
    errors = (wrapped as? StateDatabase)?.errors ?? StateErrors()
    source = Self.source(wrapped, date)
  }

  /// A view of the newest version.
  init(ofNewest wrapped: any HistoryDatabase) {
    (self.wrapped, date) = (wrapped, Date())
    errors = (wrapped as? StateDatabase)?.errors ?? StateErrors()
    source = (wrapped as? StateDatabase).map { .version($0.store.newest) } ?? .time(date)
  }

  private static func source(_ wrapped: any HistoryDatabase, _ date: Date) -> Source {
    guard let database = wrapped as? StateDatabase else { return .time(date) }
    return database.past(at: date).map { .version($0) } ?? .nothing
  }

  /// Moves the view to another time.
  public func moveView(to date: Date) {
    self.date = date
    source = Self.source(wrapped, date)
  }

  /// Moves the view to the newest version.
  func moveToNewest() {
    date = Date()
    source = (wrapped as? StateDatabase).map { .version($0.store.newest) } ?? .time(date)
  }

  /// Returns the value that a path had; nil where it had none, or one of another type.
  public func get<Value: DatabaseValue>(_ path: Path) -> Value? {
    switch source {
    case .version(let snapshot): snapshot.get(path)
    case .time(let date): wrapped.get(path, at: date)
    case .nothing: nil
    }
  }

  /// Changes nothing, and reports that.
  @discardableResult
  public func apply(_ changes: [DatabaseChange]) -> Bool {
    for change in changes { report(change.path) }
    return false
  }

  /// Changes nothing, and reports that.
  public func set<Value: DatabaseValue>(_ value: Value, for path: Path) { report(path) }

  private func report(_ path: Path) {
    errors.report(StateError(code: "read-only", "a view of an earlier time is not written to", path))
  }

  /// Returns what `predicate` makes of the instances that a model had, with the status of the time.
  public func all<T>(model: ModelKey, where predicate: (InstanceKey, InstanceStatus) -> T?) -> [T] {
    switch source {
    case .version(let snapshot): snapshot.all(model: model, where: predicate)
    case .time(let date): wrapped.all(model: model, at: date, where: predicate)
    case .nothing: []
    }
  }
}
