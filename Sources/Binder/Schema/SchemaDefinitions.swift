import GQLBase
import GQLCatalog
import GQLParser
import GQLText

/// The type definitions that build a catalog again: enums, embedded types, entities, and `type Query`, in the order
/// of their identifiers. Their ranges are empty.
package func schemaDefinitions(of catalog: Catalog) -> [TypeDefinition] {
  var writer = SchemaDefinitionWriter(catalog: catalog)
  return writer.definitions()
}

private struct SchemaDefinitionWriter {
  let catalog: Catalog
  private let nowhere = SourceRange(at: 0)

  init(catalog: Catalog) { self.catalog = catalog }

  mutating func definitions() -> [TypeDefinition] {
    var result: [TypeDefinition] = []
    for type in catalog.enums where type.id != catalog.statusType {
      var definition = empty(.enum, type.name, type.description)
      definition.directives += identity(type.identity)
      definition.values = type.values.enumerated().map { index, value in
        var definition = EnumValueDefinition(name(value), range: nowhere)
        if type.notes.indices.contains(index) {
          definition.description = literal(type.notes[index].description)
          definition.directives = deprecated(type.notes[index].deprecation) + identity(type.notes[index].identity)
        }
        return definition
      }
      result.append(definition)
    }
    for type in catalog.embeddedTypes {
      var definition = empty(.object, type.name, type.description)
      definition.directives += identity(type.identity)
      definition.fields = type.fields.map {
        field(
          $0.name, $0.description, $0.signature,
          directives: defaultDirective($0.defaultValue, $0.signature) + deprecated($0.deprecation)
            + source($0.source, isMixed: $0.isMixed) + identity($0.identity))
      }
      result.append(definition)
    }
    for type in catalog.types {
      switch type.kind {
      case .entity: result.append(entity(type))
      case .interface, .union: result.append(abstract(type))
      case .element: break
      }
    }
    let roots = catalog.rootNames.filter { !$0.isDeleted }
    if !roots.isEmpty {
      var definition = empty(.object, "Query", nil)
      definition.fields = roots.map { root in
        let type: ValueType = root.isList ? .list(.entity(root.type)) : .entity(root.type)
        return field(
          root.name, nil, TypeSignature(type, isNonNull: root.isList, isElementNonNull: root.isList), directives: [])
      }
      result.append(definition)
    }
    return result
  }

  private func abstract(_ type: EntityType) -> TypeDefinition {
    var definition = empty(type.kind == .union ? .union : .interface, type.name, type.description)
    definition.interfaces = type.interfaces.map { name(catalog[$0].name) }
    if type.kind == .union { definition.members = type.members.map { name(catalog[$0.type].name) } }
    let root = rootArguments(type)
    if !root.isEmpty { definition.directives.append(directive("root", root)) }
    definition.directives += source(type.source) + identity(type.identity)
    definition.fields = type.properties.map { field($0.name, $0.description, $0.signature, directives: []) }
    return definition
  }

  private func rootArguments(_ type: EntityType) -> [(String, Expression.Kind)] {
    var root: [(String, Expression.Kind)] = []
    if type.rootOne != SchemaBuilder.oneName(of: type.name) { root.append(("one", string(type.rootOne))) }
    if type.rootMany != type.name { root.append(("many", string(type.rootMany))) }
    return root
  }

  private func entity(_ type: EntityType) -> TypeDefinition {
    var definition = empty(.object, type.name, type.description)
    definition.interfaces = type.interfaces.map { name(catalog[$0].name) }
    let hasPlainID = type.idProperties.count == 1 && type.idProperties.first.map { type[$0].name } == "id"
    if type.idProperties.count > 1 {
      definition.directives.append(
        directive("id", [("fields", strings(type.idProperties.map { type[$0].name }))]))
    }
    let root = rootArguments(type)
    if !root.isEmpty { definition.directives.append(directive("root", root)) }
    definition.directives += source(type.source) + identity(type.identity) + history(type.history)
    for property in type.properties {
      var directives: [Directive] = []
      if type.idProperties == [property.id] {
        if !hasPlainID { directives.append(directive("id", [])) }
        if type.numbersRows { directives.append(directive("rowNumber", [])) }
      }
      if property.isCaseInsensitive { directives.append(directive("collate", [("locale", .name(name("CI")))])) }
      if case .computed(let text) = property.storage {
        directives.append(directive("computed", [("as", string(text))]))
      }
      if case .relation(let id) = property.storage, let relation = relationDirective(catalog[id]) {
        directives.append(relation)
      }
      if case .column(let column, let folded) = property.storage {
        for id in type.indexes
        where !catalog[id].isPrimary
          && catalog[id].columns == [catalog[id].kind.facts.hasKeys ? folded ?? column : column]
        {
          directives += index(catalog[id], of: type, fields: nil)
        }
      }
      directives += defaultDirective(property.defaultValue, property.signature) + deprecated(property.deprecation)
      directives += source(property.source, isMixed: property.isMixed)
      if let rule = property.merge { directives.append(directive("merge", [("by", .name(name(rule.rawValue)))])) }
      directives += identity(property.identity)
      if property.isOutOfHistory { directives.append(directive("history", [("off", .boolean(true))])) }
      definition.fields.append(
        field(property.name, property.description, property.signature, directives: directives))
    }
    for id in type.indexes where !catalog[id].isPrimary {
      let columns = catalog[id].columns
      let names = columns.map { type[$0].name }
      // A dot may also stand inside a backquoted name; such an index belongs to a property.
      if columns.count > 1 || type.property(named: names.first ?? "") == nil {
        definition.directives += index(catalog[id], of: type, fields: names)
      }
    }
    return definition
  }

  private func source(_ name: String?, isMixed: Bool = false) -> [Directive] {
    var arguments: [(String, Expression.Kind)] = []
    if let name { arguments.append(("name", string(name))) }
    if isMixed { arguments.append(("mixed", .boolean(true))) }
    return arguments.isEmpty ? [] : [directive("source", arguments)]
  }

  private func history(_ rule: HistoryRule?) -> [Directive] {
    guard let rule else { return [] }
    var arguments: [(String, Expression.Kind)] = []
    if let text = rule.durationText { arguments.append(("for", string(text))) }
    if let versions = rule.versions { arguments.append(("versions", .int(String(versions)))) }
    return [directive("history", arguments)]
  }

  private func identity(_ identity: Identity) -> [Directive] {
    (identity.number.map { [directive("number", [("value", .int(String($0)))])] } ?? [])
      + identity.formerNames.map { directive("was", [("name", string($0))]) }
  }

  /// GraphQL has no defaults of fields, and no calls.
  private func defaultDirective(_ value: DefaultValue?, _ signature: TypeSignature) -> [Directive] {
    switch value {
    case nil: []
    case .now?: [directive("default", [("value", .name(name("now")))])]
    case .value(let value)?: [directive("default", [("value", catalog.literal(value, as: signature.type).kind)])]
    }
  }

  private func deprecated(_ reason: String?) -> [Directive] {
    reason.map { [directive("deprecated", [("reason", string($0))])] } ?? []
  }

  private func relationDirective(_ relation: Relation) -> Directive? {
    var arguments: [(String, Expression.Kind)] = []
    let inverse = catalog[relation.inverse]
    // The elements of lists of embedded objects belong to the list.
    if catalog[relation.target].isElement { return nil }
    if let property = inverse.property { arguments.append(("inverse", string(catalog[inverse.source][property].name))) }
    if relation.onDelete != .nullify { arguments.append(("onDelete", .name(name(relation.onDelete.rawValue)))) }
    return arguments.isEmpty ? nil : directive("relation", arguments)
  }

  private func index(_ index: IndexDescriptor, of type: EntityType, fields: [String]?) -> [Directive] {
    guard let form = IndexDirective(index.kind, isUnique: index.isUnique) else { return [] }
    var arguments: [(String, Expression.Kind)] = []
    if let language = index.language, language != TextLanguage.standard.code {
      arguments.append(("language", string(language)))
    }
    if index.onConflict != .fail { arguments.append(("onConflict", .name(name(index.onConflict.rawValue)))) }
    if index.kind != form.kinds[0] { arguments.append(("kind", .name(name(index.kind.rawValue)))) }
    if index.name != index.columns.map({ type[$0].name }).joined(separator: ",") {
      arguments.append(("name", string(index.name)))
    }
    if let fields { arguments.append(("fields", strings(fields))) }
    return [directive(form.name, arguments)]
  }

  private func field(
    _ fieldName: String, _ description: String?, _ signature: TypeSignature, directives: [Directive]
  ) -> FieldDefinition {
    FieldDefinition(
      name(fieldName), reference(signature), description: literal(description), defaultValue: nil,
      directives: directives, range: nowhere)
  }

  private func reference(_ signature: TypeSignature) -> TypeReference {
    var result: TypeReference
    if case .list(let inner) = signature.type, case .list = inner {
      var element = TypeSignature(inner, isNonNull: signature.isElementNonNull)
      element.isElementNonNull = signature.innerNonNull.first ?? false
      element.innerNonNull = Array(signature.innerNonNull.dropFirst())
      result = .list(reference(element), nowhere)
    } else if case .list(let element) = signature.type {
      var inner = TypeReference.named(name(catalog.name(of: element)))
      if signature.isElementNonNull { inner = .nonNull(inner, nowhere) }
      result = .list(inner, nowhere)
    } else {
      result = .named(name(catalog.name(of: signature.type)))
    }
    if signature.isNonNull { result = .nonNull(result, nowhere) }
    return result
  }

  private func empty(_ kind: TypeDefinition.Kind, _ typeName: String, _ description: String?) -> TypeDefinition {
    TypeDefinition(kind, name(typeName), description: literal(description), range: nowhere)
  }

  private func literal(_ text: String?) -> StringLiteral? {
    text.map { StringLiteral(value: $0, isBlock: false, range: nowhere) }
  }

  private func name(_ text: String) -> Name { Name(text, at: nowhere) }
  private func string(_ text: String) -> Expression.Kind {
    .string(StringLiteral(value: text, isBlock: false, range: nowhere))
  }
  private func strings(_ texts: [String]) -> Expression.Kind {
    .list(texts.map { Expression(string($0), at: nowhere) })
  }

  private func directive(_ directiveName: String, _ arguments: [(String, Expression.Kind)]) -> Directive {
    Directive(
      name: name(directiveName),
      arguments: arguments.map { Argument(name: name($0.0), value: Expression($0.1, at: nowhere), range: nowhere) },
      range: nowhere)
  }
}

extension Catalog {
  /// Returns a value as a document writes it; lists of lists, which lie as JSON, by the type of their elements.
  package func literal(_ value: Value, as type: ValueType? = nil) -> Expression {
    let nowhere = SourceRange(at: 0)
    func text(_ text: Text) -> Expression {
      Expression(.string(StringLiteral(value: text.string, isBlock: false, range: nowhere)), at: nowhere)
    }
    func quoted(_ write: (inout ByteBuffer) -> Void) -> Expression {
      var buffer = ByteBuffer()
      write(&buffer)
      return text(Text(String(buffer.string.dropFirst().dropLast())))
    }
    switch value {
    case .null: return Expression(.null, at: nowhere)
    case .boolean(let value): return Expression(.boolean(value), at: nowhere)
    case .int(let value): return Expression(.int(String(value)), at: nowhere)
    case .float(let value):
      var buffer = ByteBuffer(capacity: 64)
      buffer.append(double: value)
      return Expression(.float(buffer.string), at: nowhere)
    case .decimal(let value): return Expression(.float(value.description), at: nowhere)
    case .string(let value), .uuid(let value): return text(value)
    case .id(let value, let isNumber): return isNumber ? Expression(.int(value.string), at: nowhere) : text(value)
    case .enumeration(let id, let code):
      let values = self[id].values
      let name = values.indices.contains(code) ? values[code] : "null"
      return Expression(.name(Name(name, at: nowhere)), at: nowhere)
    case .dateTime(let count): return quoted { $0.append(dateTime: count) }
    case .date(let count): return quoted { $0.append(date: count) }
    case .duration(let count): return quoted { $0.append(duration: count) }
    case .bytes(let bytes): return quoted { buffer in bytes.withUnsafeBytes { buffer.append(base64: $0) } }
    case .json(let json):
      guard let tree = try? JSONValue.parse(Array(json.bytes)) else { return text(json) }
      let isOfNames = if case .list? = type, case .enumeration? = type?.innermost { true } else { false }
      return literal(tree, isOfNames: isOfNames)
    case .list(let elements):
      let element: ValueType? = if case .list(let element)? = type { element } else { nil }
      return Expression(.list(elements.map { literal($0, as: element) }), at: nowhere)
    case .object(let members):
      var fields: [String: ValueType] = [:]
      if case .embedded(let id)? = type { for field in self[id].fields { fields[field.name] = field.signature.type } }
      return Expression(
        .object(
          members.map {
            let name = $0.name.string
            return ObjectField(
              name: Name(name, at: nowhere), value: literal($0.value, as: fields[name]), range: nowhere)
          }), at: nowhere)
    }
  }

  /// - Parameter isOfNames: Whether texts are the names of an enum's values.
  private func literal(_ json: JSONValue, isOfNames: Bool) -> Expression {
    let nowhere = SourceRange(at: 0)
    switch json {
    case .null: return Expression(.null, at: nowhere)
    case .bool(let value): return Expression(.boolean(value), at: nowhere)
    case .number(let digits): return Expression(.float(digits.string), at: nowhere)
    case .string(let text) where isOfNames: return Expression(.name(Name(text.string, at: nowhere)), at: nowhere)
    case .string(let text):
      return Expression(.string(StringLiteral(value: text.string, isBlock: false, range: nowhere)), at: nowhere)
    case .array(let elements):
      return Expression(.list(elements.map { literal($0, isOfNames: isOfNames) }), at: nowhere)
    case .object(let members):
      return Expression(
        .object(
          members.map {
            ObjectField(
              name: Name($0.key.string, at: nowhere), value: literal($0.value, isOfNames: isOfNames), range: nowhere)
          }), at: nowhere)
    }
  }
}
