import Foundation
import GQLEngine
import GQLStorage

/// A database of models over a GQLite database. Any number of threads may use one; its objects are of the thread that
/// takes them.
///
/// The classes and properties are types and fields of ``gqlite``, under their names, as soon as a value is written.
public class StateDatabase: Database, @unchecked Sendable {
  let store: StateStore

  /// - Parameter keepsHistory: Whether the old values of models are kept.
  init(_ database: GQLEngine.Database, keepsHistory: Bool = false) {
    store = StateStore(database, keepsHistory: keepsHistory)
  }

  /// The GQLite database that holds the values, which text can ask and change.
  public var gqlite: GQLEngine.Database { store.database }

  /// The errors that objects of models could not throw.
  public var errors: StateErrors { store.errors }

  /// Returns the value of a path; nil where it has none, or one of another type.
  public final func get<Value: DatabaseValue>(_ path: Path) -> Value? { store.get(path) }

  /// Writes the value of a path, in a transaction of its own. What goes wrong is reported to ``errors``.
  public final func set<Value: DatabaseValue>(_ value: Value, for path: Path) { store.set(value, for: path) }

  /// Returns what `predicate` makes of the instances of a model, in the order in which they were created.
  public final func all<T>(model: ModelKey, where predicate: (InstanceKey, InstanceStatus) -> T?) -> [T] {
    store.newest.all(model: model, where: predicate)
  }

  /// Notes the names and types of a model's properties, for the types of ``gqlite``.
  public final func register<Model: ModelProtocol>(_ model: Model.Type) { store.schema.register(model) }

  /// Writes several values in one transaction. What goes wrong is reported to ``errors``, and nothing is written then.
  ///
  /// - Returns: False where nothing was written.
  @discardableResult
  public final func apply(_ changes: [DatabaseChange]) -> Bool { store.apply(changes) }
}

/// A database of models in memory.
public final class InMemoryDatabase: StateDatabase, @unchecked Sendable {
  /// An empty database.
  public init() { super.init(GQLEngine.Database()) }
}

/// A database whose instances have the time of their last change.
public protocol TimestampedDatabase: Database {
  /// Returns the time of an instance's last change; nil where there is none of it.
  func lastChange(model: ModelKey, instance: InstanceKey) -> Date?
}

extension StateDatabase {
  /// Returns the time of an instance's last change; nil where there is none of it.
  public final func lastChange(model: ModelKey, instance: InstanceKey) -> Date? {
    store.lastChange(model, instance).map { Date(timeIntervalSince1970: Double($0) / 1e6) }
  }
}

/// A database of models in memory, whose instances have the time of their last change.
public final class InMemoryTimestampedDatabase: StateDatabase, TimestampedDatabase, @unchecked Sendable {
  /// An empty database.
  public init() { super.init(GQLEngine.Database()) }
}

/// A database of models in memory, which keeps all that there ever was in it.
public final class InMemoryHistoryDatabase: StateDatabase, TimestampedDatabase, HistoryDatabase, @unchecked Sendable {
  /// An empty database.
  public init() { super.init(GQLEngine.Database(), keepsHistory: true) }
}

/// A database of models in a file.
public final class SQLiteDatabase: StateDatabase, TimestampedDatabase, @unchecked Sendable {
  /// Opens a file, or makes one.
  ///
  /// - Throws: `QueryError`, as GQLite's database in a file.
  public init(path: String, storage: StorageOptions = StorageOptions()) throws {
    super.init(try GQLEngine.Database(path: path, storage: storage))
  }

  /// Opens a file, or makes one.
  ///
  /// - Throws: `QueryError`, as GQLite's database in a file.
  public convenience init(file: URL, storage: StorageOptions = StorageOptions()) throws {
    try self.init(path: file.path, storage: storage)
  }

  /// Writes what is not yet written and closes the file.
  public func close() throws { try gqlite.close() }
}

/// A database of models in a file, which keeps all that there ever was in it.
///
/// The past of what the file had before, as the file of a ``SQLiteDatabase``, begins when it is opened.
public final class SQLiteHistoryDatabase: StateDatabase, TimestampedDatabase, HistoryDatabase, @unchecked Sendable {
  /// Opens a file, or makes one.
  ///
  /// - Throws: `QueryError`, as GQLite's database in a file.
  public init(path: String, storage: StorageOptions = StorageOptions()) throws {
    super.init(try GQLEngine.Database(path: path, storage: storage), keepsHistory: true)
    if storage.access == .write { try store.schema.beginHistory() }
  }

  /// Opens a file, or makes one.
  ///
  /// - Throws: `QueryError`, as GQLite's database in a file.
  public convenience init(file: URL, storage: StorageOptions = StorageOptions()) throws {
    try self.init(path: file.path, storage: storage)
  }

  /// Writes what is not yet written and closes the file.
  public func close() throws { try gqlite.close() }
}
