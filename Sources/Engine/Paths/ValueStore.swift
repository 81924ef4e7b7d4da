/// A place whose values are found by their paths: a database, or a view of a version.
public protocol ValueStore {
  /// Holds the values.
  var _valueHome: Database { get }
}

extension Database: ValueStore {
  /// The database itself.
  public var _valueHome: Database { self }

  /// Writes a value at a path, in a transaction of its own.
  ///
  /// - Throws: ``QueryError``, as ``ValueStore/value(at:)``, and where an update with this value is refused: `wrong-type`,
  ///   for example, or `unique-violation`. Nothing is written then. A deleted entity counts as none.
  public func set(_ value: Value, at path: EntityPath) throws(QueryError) {
    try PathDocument(path, catalog).set(value, in: self)
  }
}

extension DatabaseView: ValueStore {
  /// A database that begins with the data of the view.
  public var _valueHome: Database { Database(snapshot) }
}

extension EditingContext: ValueStore {
  /// The context as a database.
  public var _valueHome: Database { database }

  /// Writes a value of the context at a path; see ``Database/set(_:at:)``.
  ///
  /// - Throws: ``QueryError``, as ``Database/set(_:at:)``.
  public func set(_ value: Value, at path: EntityPath) throws(QueryError) { try database.set(value, at: path) }
}

extension ValueStore {
  /// Returns the value at a path, also of an entity that is deleted and kept.
  ///
  /// A relation is the id of its target, or a list of ids. An embedded value is an object.
  ///
  /// - Throws: ``QueryError``: `unknown-type` and `unknown-field` where the schema has no such name or number, and
  ///   `unknown-id` where there is no such entity.
  public func value(at path: EntityPath) throws(QueryError) -> Value {
    let database = _valueHome
    return try PathDocument(path, database.catalog).value(in: database)
  }

  /// Returns the ids of the entities of a type, in the order in which they were inserted.
  ///
  /// - Parameter condition: A condition in the query language, one expression, `age > 30`; nil for all entities.
  /// - Throws: ``QueryError``: `unknown-type` where the schema has no such name or number, and as a query with this
  ///   condition does.
  public func ids(of type: EntityPath.Part, where condition: String? = nil) throws(QueryError) -> [Value] {
    try PathDocument.ids(of: type, where: condition, in: _valueHome)
  }
}
