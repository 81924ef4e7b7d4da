import GQLBase
import GQLCatalog
import GQLParser

/// A path as a document of the query language, so that values go the way of all queries and mutations.
///
/// Its texts differ by type and field only, so that they are prepared once.
struct PathDocument {
  private let type: EntityType
  private let property: String
  private let kind: Kind
  private let keys: [Property]
  private let keyTypes: [String]
  private let path: EntityPath

  private enum Kind {
    /// The type of a variable that takes the value.
    case value(String)
    case embedded
    case relation(target: [Property])
    /// `_status` and times, which can only be read.
    case meta
  }

  init(_ path: EntityPath, _ catalog: Catalog) throws(QueryError) {
    self.path = path
    type = try Self.type(path.type, catalog)
    let keys = Self.keys(of: type)
    self.keys = keys
    keyTypes = keys.map { Self.variableType($0.signature.type, catalog) ?? "ID" }
    if case .name(let name) = path.field, Self.metaFields.contains(name) {
      (property, kind) = (name, .meta)
      return
    }
    let found = try Self.property(path.field, of: type)
    property = found.name
    if let text = Self.variableType(found.signature.type, catalog) {
      kind = .value(text)
    } else if case .entity(let target) = found.signature.type.innermost {
      kind = .relation(target: Self.keys(of: catalog[target]))
    } else {
      kind = .embedded
    }
  }

  private static let metaFields: Set<String> = ["_status", "_createdAt", "_updatedAt"]

  // MARK: - Names

  private static func type(_ part: EntityPath.Part, _ catalog: Catalog) throws(QueryError) -> EntityType {
    let types = catalog.types.filter { !$0.isAbstract && !$0.isElement && !$0.idProperties.isEmpty }
    switch part {
    case .name(let name):
      if let type = types.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return type }
      throw QueryError(
        code: "unknown-type", "there is no entity type '\(name)'",
        help: help(nearestNames(to: name, in: types.map(\.name))))
    case .number(let number):
      if let type = types.first(where: { $0.identity.number == number }) { return type }
      throw QueryError(
        code: "unknown-type", "no entity type has the number \(number)",
        help: "'@number(value: \(number))' gives a type its number")
    }
  }

  private static func property(_ part: EntityPath.Part, of type: EntityType) throws(QueryError) -> Property {
    switch part {
    case .name(let name):
      if let property = type.property(named: name) { return property }
      throw QueryError(
        code: "unknown-field", "'\(type.name)' has no field '\(name)'",
        help: help(nearestNames(to: name, in: type.properties.map(\.name))))
    case .number(let number):
      if let property = type.properties.first(where: { $0.identity.number == number }) { return property }
      throw QueryError(
        code: "unknown-field", "no field of '\(type.name)' has the number \(number)",
        help: "'@number(value: \(number))' gives a field its number")
    }
  }

  private static func help(_ names: [String]) -> String? {
    names.isEmpty ? nil : "did you mean \(names.map { "'\($0)'" }.joined(separator: ", "))?"
  }

  private static func keys(of type: EntityType) -> [Property] { type.idProperties.map { type[$0] } }

  /// The type of a variable that takes a value; nil for what is no scalar, enum or list of these.
  private static func variableType(_ type: ValueType, _ catalog: Catalog) -> String? {
    switch type {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let id): catalog[id].name
    case .list(let element): variableType(element, catalog).map { "[\($0)]" }
    case .embedded, .entity, .null: nil
    }
  }

  // MARK: - Texts

  private var parameters: String { keyTypes.enumerated().map { "$k\($0): \($1)!" }.joined(separator: ", ") }
  private var condition: String { keys.enumerated().map { ".\($1.name) == $k\($0)" }.joined(separator: " and ") }

  private var variables: [String: Value] {
    guard keys.count != 1 else { return ["k0": path.id] }
    var result: [String: Value] = [:]
    for (number, key) in keys.enumerated() { result["k\(number)"] = path.id[key.name] ?? .null }
    return result
  }

  func value(in database: Database) throws(QueryError) -> Value {
    let content =
      switch kind {
      case .value, .meta: ""
      case .embedded: " { ...* }"
      case .relation(let target): " { \(target.map(\.name).joined(separator: " ")) }"
      }
    let text =
      "query(\(parameters)) { \(type.name)(where: \(condition), deleted: INCLUDE) { value: \(property)\(content) } }"
    let answer = try database.prepare(text, name: "path").run(variables)
    guard let found = answer.value[type.name]?[0] else { throw unknownID }
    let value = found["value"] ?? .null
    guard case .relation(let target) = kind else { return value }
    if case .list(let elements) = value { return .list(elements.map { Self.id($0, target) }) }
    return Self.id(value, target)
  }

  func set(_ value: Value, in database: Database) throws(QueryError) {
    var variables = variables
    let parameter: String
    let assignment: String
    switch kind {
    case .meta:
      throw QueryError(code: "read-only", "'\(property)' is kept by the database, and cannot be set")
    case .value(let type):
      variables["value"] = value
      (parameter, assignment) = ("$value: \(type)", "{\(property): $value}")
    case .embedded, .relation:
      variables["set"] = .object([Value.Member(property, value)])
      (parameter, assignment) = ("$set: \(type.name)Input!", "$set")
    }
    let text =
      "mutation(\(parameters), \(parameter)) { n: update\(type.name)(where: \(condition), set: \(assignment)) }"
    let answer = try database.prepare(text, name: "path").run(variables)
    if answer.value["n"]?.int != 1 { throw unknownID }
  }

  static func ids(
    of part: EntityPath.Part, where condition: String?, in database: Database
  ) throws(QueryError) -> [Value] {
    let catalog = database.catalog
    let type = try type(part, catalog)
    let keys = keys(of: type)
    let fields = keys.map(\.name).joined(separator: " ")
    if let condition { try check(condition, database.limits) }
    // A comment ends with its line.
    let arguments = condition.map { "(where: \($0)\n)" } ?? ""
    let answer = try database.prepare("query { \(type.name)\(arguments) { \(fields) } }", name: "condition").run()
    return answer.value[type.name]?.list?.map { id($0, keys) } ?? []
  }

  /// Throws where a text is not one expression, and may be more: further arguments, or the end of the query.
  private static func check(_ condition: String, _ limits: QueryLimits) throws(QueryError) {
    let source = SourceText(name: "condition", text: condition)
    let parsed = parseExpression(source, limits: limits.parser)
    if parsed.hasErrors { throw QueryError(parsed.diagnostics, in: source) }
  }

  private static func id(_ entity: Value, _ keys: [Property]) -> Value {
    if keys.count == 1, let key = keys.first { return entity[key.name] ?? .null }
    return entity
  }

  private var unknownID: QueryError {
    QueryError(code: "unknown-id", "there is no '\(type.name)' with the id \(path.id)")
  }
}
