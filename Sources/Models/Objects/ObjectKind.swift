import GQLCatalog

/// What a schema in text says of a value that is read or written as `Codable`.
struct ObjectKind: Sendable {
  indirect enum Form: Sendable {
    case value(ValueType)
    case object(String, [ObjectField])
    case list(Form)
  }
  let form: Form
  /// `User.address.city`, for messages.
  let path: String
  let types: ObjectTypes

  init(_ place: ObjectPlace, _ path: String, _ types: ObjectTypes) {
    self.init(Self.form(place, types), path, types)
  }

  private init(_ form: Form, _ path: String, _ types: ObjectTypes) {
    self.form = form
    self.path = path
    self.types = types
  }

  private static func form(_ place: ObjectPlace, _ types: ObjectTypes) -> Form {
    switch place {
    case .cell(_, .list(let element)): .list(.value(element))
    case .cell(_, let type): .value(type)
    case .object(let id, _, let fields): .object(types.catalog[id].name, fields)
    case .elements(let relation): .list(.object(types.catalog[relation.target].name, types.fields(relation.target)))
    // By their ids.
    case .link(let relation, _): relation.isToMany ? .list(.value(.id)) : .value(.id)
    }
  }

  /// The fields of an object.
  var fields: [ObjectField]? { if case .object(_, let fields) = form { fields } else { nil } }

  /// What a field of an object is.
  func field(_ field: ObjectField) -> ObjectKind {
    ObjectKind(Self.form(field.place, types), "\(path).\(field.name)", types)
  }

  /// What the elements of a list are.
  var element: ObjectKind? { if case .list(let element) = form { ObjectKind(element, path, types) } else { nil } }

  /// The values of an enum.
  var names: [String]? {
    if case .value(.enumeration(let id)) = form { types.catalog[id].values } else { nil }
  }

  /// The type of a scalar, an enum, or a list of these.
  var valueType: ValueType? {
    switch form {
    case .value(let type): type
    case .list(.value(let element)): .list(element)
    case .object, .list: nil
    }
  }

  /// As the schema writes it.
  var words: String { Self.words(form, types.catalog) }

  private static func words(_ form: Form, _ catalog: Catalog) -> String {
    switch form {
    case .value(.scalar(let scalar)): scalar.rawValue
    case .value(.enumeration(let id)): catalog[id].name
    case .value: "a value"
    case .object(let name, _): name
    case .list(let element): "[\(words(element, catalog))]"
    }
  }

  /// Whether a column of the type holds values of a Swift type.
  func holds(_ shape: _ColumnShape) -> Bool {
    guard shape.enumeration == nil, let type = valueType else { return false }
    if type == shape.valueType { return true }
    // Ids are texts.
    return shape.scalar == .string && type == (shape.isList ? .list(.id) : .id)
  }

  func mismatch(_ type: Any.Type) -> ModelError { mismatch("\(type)") }
  func mismatch(_ other: String) -> ModelError { .unreadable("'\(path)' is \(words) in the schema, not \(other)") }

  func unwritable(_ type: Any.Type) -> ModelError { unwritable("\(type)") }
  func unwritable(_ other: String) -> ModelError { .unwritable(other, "'\(path)' is \(words) in the schema") }
}
