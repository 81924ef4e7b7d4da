extension Database {
  /// Returns the value at a path, also of an entity that is deleted and kept.
  ///
  /// A relation is the id of its target, or a list of ids. An embedded value is an object.
  ///
  /// - Throws: ``QueryError``: `unknown-type` and `unknown-field` where the schema has no such name or number, and
  ///   `unknown-id` where there is no such entity.
  public func value(at path: EntityPath) throws(QueryError) -> Value {
    try PathDocument(path, catalog).value(in: self)
  }

  /// Writes a value at a path, in a transaction of its own.
  ///
  /// - Throws: ``QueryError``, as ``value(at:)``, and where an update with this value is refused: `wrong-type`, for
  ///   example, or `unique-violation`. Nothing is written then. A deleted entity counts as none.
  public func set(_ value: Value, at path: EntityPath) throws(QueryError) {
    try PathDocument(path, catalog).set(value, in: self)
  }

  /// Returns the ids of the entities of a type, in the order in which they were inserted.
  ///
  /// - Parameter condition: A condition in the query language, `age > 30`; nil for all entities.
  /// - Throws: ``QueryError``: `unknown-type` where the schema has no such name or number, and as a query with this
  ///   condition does.
  public func ids(of type: EntityPath.Part, where condition: String? = nil) throws(QueryError) -> [Value] {
    try PathDocument.ids(of: type, where: condition, in: self)
  }
}

extension DatabaseView {
  /// Returns the value at a path, as ``Database/value(at:)`` does.
  public func value(at path: EntityPath) throws(QueryError) -> Value {
    try PathDocument(path, snapshot.catalog).value(in: Database(snapshot))
  }

  /// Returns the ids of the entities of a type, as ``Database/ids(of:where:)`` does.
  public func ids(of type: EntityPath.Part, where condition: String? = nil) throws(QueryError) -> [Value] {
    try PathDocument.ids(of: type, where: condition, in: Database(snapshot))
  }
}
