/// A property of a model whose value lies in the database.
///
/// ```swift
/// @Property(id: 42) var value: String = "Default"
/// @Property(id: 43) var count: Int  // 0
/// ```
/// The default counts where the database has no value, or one that is not of the type.
@propertyWrapper
public struct Property<Value: DatabaseValue> {
  /// The number of the property.
  public let id: PropertyKey
  private let makeDefault: () -> Value

  /// A property with a default value.
  public init(wrappedValue: @escaping @autoclosure () -> Value, id: PropertyKey) {
    (self.id, makeDefault) = (id, wrappedValue)
  }

  /// A property with its type's default value.
  public init(id: PropertyKey) where Value: Defaultable { (self.id, makeDefault) = (id, { Value.default }) }

  /// The value when none was set.
  public var defaultValue: Value { makeDefault() }

  /// Returns the default; the property of an object reads the database.
  @available(*, unavailable, message: "properties of models belong to classes")
  public var wrappedValue: Value {
    get { defaultValue }
    set {}
  }

  /// Reads and writes the database of the object.
  public static subscript<Model: ModelProtocol>(
    _enclosingInstance model: Model, wrapped path: ReferenceWritableKeyPath<Model, Value>,
    storage storage: ReferenceWritableKeyPath<Model, Self>
  ) -> Value {
    get {
      let property = model[keyPath: storage]
      model._modelObservation.noteRead(of: model, property.id, path)
      return model.database.get(Path(Model.modelId, model.id, property.id)) ?? property.defaultValue
    }
    set { model.database.set(newValue, for: Path(Model.modelId, model.id, model[keyPath: storage].id)) }
  }

  /// Returns the default as a change. For the expansions of macros.
  public func _default(of model: some ModelProtocol) -> DatabaseChange {
    DatabaseChange(Path(type(of: model).modelId, model.id, id), defaultValue, isReset: true)
  }
}

/// A link to an instance of a model, by its number; nil for none.
///
/// It may lead to a deleted instance, whose object says so. To one that was never created, it is nil.
@propertyWrapper
public struct Reference<Target: ModelProtocol> {
  /// The number of the property.
  public let id: PropertyKey

  /// A link that leads nowhere until it is set.
  public init(id: PropertyKey) { self.id = id }

  /// A link that leads nowhere until it is set. The value is nil, and is not looked at.
  public init(wrappedValue: Target?, id: PropertyKey) { self.id = id }

  /// Returns nil; the property of an object reads the database.
  @available(*, unavailable, message: "properties of models belong to classes")
  public var wrappedValue: Target? {
    get { nil }
    set {}
  }

  /// Reads and writes the database of the object.
  public static subscript<Model: ModelProtocol>(
    _enclosingInstance model: Model, wrapped path: ReferenceWritableKeyPath<Model, Target?>,
    storage storage: ReferenceWritableKeyPath<Model, Self>
  ) -> Target? {
    get {
      let property = model[keyPath: storage].id
      model._modelObservation.noteRead(of: model, property, path)
      let target: InstanceKey?? = model.database.get(Path(Model.modelId, model.id, property))
      return (target ?? nil).flatMap { model.database.get(id: $0) }
    }
    set { model.database.set(newValue?.id, for: Path(Model.modelId, model.id, model[keyPath: storage].id)) }
  }

  /// Returns the default as a change. For the expansions of macros.
  public func _default(of model: some ModelProtocol) -> DatabaseChange {
    DatabaseChange(Path(type(of: model).modelId, model.id, id), InstanceKey?.none, isReset: true)
  }
}

/// A list of links to instances of a model, by their numbers.
///
/// Deleted instances stay in it, and their objects say so. Those that were never created are left out.
@propertyWrapper
public struct ReferenceList<List: SequenceInitializable> where List.Element: ModelProtocol {
  /// The number of the property.
  public let id: PropertyKey

  /// A list that is empty until it is set.
  public init(id: PropertyKey) { self.id = id }

  /// A list that is empty until it is set. The value is empty, and is not looked at.
  public init(wrappedValue: List, id: PropertyKey) { self.id = id }

  /// Returns an empty list; the property of an object reads the database.
  @available(*, unavailable, message: "properties of models belong to classes")
  public var wrappedValue: List {
    get { List(EmptyCollection()) }
    set {}
  }

  /// Reads and writes the database of the object.
  public static subscript<Model: ModelProtocol>(
    _enclosingInstance model: Model, wrapped path: ReferenceWritableKeyPath<Model, List>,
    storage storage: ReferenceWritableKeyPath<Model, Self>
  ) -> List {
    get {
      let property = model[keyPath: storage].id
      model._modelObservation.noteRead(of: model, property, path)
      let targets: [InstanceKey] = model.database.get(Path(Model.modelId, model.id, property)) ?? []
      return List(targets.compactMap { model.database.get(id: $0, of: List.Element.self) })
    }
    set { model.database.set(newValue.map(\.id), for: Path(Model.modelId, model.id, model[keyPath: storage].id)) }
  }

  /// Returns the default as a change. For the expansions of macros.
  public func _default(of model: some ModelProtocol) -> DatabaseChange {
    DatabaseChange(Path(type(of: model).modelId, model.id, id), [InstanceKey](), isReset: true)
  }
}
