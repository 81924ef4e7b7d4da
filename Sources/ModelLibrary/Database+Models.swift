import GQLCatalog
import GQLEngine
import GQLModels
import GQLStorage
import GQLStore

extension Database {
  /// A database in a file that has the types of models, and all that their relations lead to.
  ///
  /// ```swift
  /// let database = try Database(path: "notes.gqlite", models: [Note.self])
  /// try Note(id: "1", title: "kept").save(to: database)
  /// ```
  /// The file's types become what the models say, as ``GQLEngine/Database/changeSchema(to:name:allowingLoss:options:)``
  /// does it. Its other types stay. A type that only text can describe, with a computed field for example, stays too, and
  /// its model must fit. A model that is met later is added to the file when its first entity is saved.
  ///
  /// With a schema as text, that is the schema, and the models' types are added which it does not name.
  ///
  /// - Throws: ``GQLEngine/QueryError``, with the code `not-storable` where a property has no column,
  ///   `storage-read-only` where the file is opened for reading and a model does not fit, and `empty-document` where
  ///   there is neither a model nor a schema; ``GQLModels/ModelError`` where the models make no schema.
  public convenience init(
    path: String, models: [any EntityModelProtocol.Type], schema: String? = nil, name: String = "schema.graphql",
    storage: StorageOptions = StorageOptions()
  ) throws {
    if let property = try ModelRegistration.propertyWithoutColumn(of: models) {
      throw QueryError.notStorable(property: property)
    }
    let given = try schema.map { try Database(schema: $0, name: name).catalog }
    try self.init(path: path, storage: storage)
    if storage.access == .write {
      guard given != nil || !models.isEmpty || !catalog.types.isEmpty else {
        throw QueryError(
          code: "empty-document", "no model is named, and the file has no schema",
          help: "name a model, or give a schema", file: path)
      }
      let wanted = try ModelRegistration(models, in: given ?? catalog, keepsTypes: given != nil).text
      if wanted != self.schema {
        try changeSchema(to: wanted, name: given == nil ? "models" : name, allowingLoss: storage.allowsLoss)
      }
    } else if let (model, reason) = ModelRegistration.misfit(of: models, in: catalog) {
      throw QueryError(
        code: "storage-read-only", "the file does not fit the model '\(model)', and is opened for reading: \(reason)",
        help: "open it for writing once", file: path)
    }
    let named = try ModelRegistration.naming(deleted: models, in: catalog)
    try exclusively {
      try publish(currentSnapshot.with(named), companion: ModelBinding(named, adding: models))
    }
  }
}
