import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension SchemaBuilder {
  mutating func buildEmbeddedTypes() {
    for (position, index) in embeddedDrafts.enumerated() {
      let definition = drafts[index].definition
      catalog.embeddedTypes.append(
        EmbeddedType(
          id: EmbeddedTypeID(position), name: definition.name.text, description: definition.description?.value,
          fields: []))
      catalog.embeddedTypes[position].identity = identity(in: definition.directives)
      for directive in definition.directives where ["number", "history"].contains(directive.name.text) {
        report(.misplacedDirective(name: directive.name.text, reason: .inEmbedded), at: directive.name.range)
      }
    }
    for (position, index) in embeddedDrafts.enumerated() {
      let definition = drafts[index].definition
      var fields: [EmbeddedType.Field] = []
      for field in distinctFields(of: definition) {
        checkDirectives(of: field, inEmbedded: true)
        guard let signature = resolve(field.type) else { continue }
        if isRelation(signature.type) {
          for range in writtenDefaults(of: field) {
            report(.wrongDefault(field: field.name.text, problem: .notConstant), at: range)
          }
          fields.append(
            EmbeddedType.Field(
              name: field.name.text, description: field.description?.value, signature: signature))
          fields[fields.count - 1].source = sourceName(in: field.directives)
          fields[fields.count - 1].identity = identity(in: field.directives)
          continue
        }
        fields.append(
          EmbeddedType.Field(
            name: field.name.text, description: field.description?.value, signature: signature,
            defaultValue: defaultValue(of: field, signature)))
        fields[fields.count - 1].deprecation = field.directives.deprecation
        fields[fields.count - 1].source = sourceName(in: field.directives)
        fields[fields.count - 1].isMixed = isMixed(field.directives, signature.type)
        fields[fields.count - 1].identity = identity(in: field.directives)
      }
      if fields.isEmpty { report(.emptyType(name: definition.name.text), at: definition.name.range) }
      catalog.embeddedTypes[position].fields = fields
    }
    breakRecursion()
  }

  /// Removes the fields by which an embedded type would contain itself.
  private mutating func breakRecursion() {
    enum Mark { case new, open, done }
    var marks = [Mark](repeating: .new, count: catalog.embeddedTypes.count)
    // An explicit stack: a chain of types may be as long as the document.
    for start in catalog.embeddedTypes.indices where marks[start] == .new {
      var stack: [(type: Int, field: Int)] = [(start, 0)]
      marks[start] = .open
      while let top = stack.last {
        let fields = catalog.embeddedTypes[top.type].fields
        guard top.field < fields.count else {
          marks[top.type] = .done
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].field += 1
        guard case .embedded(let id) = fields[top.field].signature.type else { continue }
        let next = Int(id.index)
        switch marks[next] {
        case .done: break
        case .new:
          marks[next] = .open
          stack.append((next, 0))
        case .open:
          let from = stack.firstIndex { $0.type == next } ?? 0
          let path = stack[from...].map { catalog.embeddedTypes[$0.type].name } + [catalog.embeddedTypes[next].name]
          let definition = drafts[embeddedDrafts[top.type]].definition
          let name = fields[top.field].name
          let range = definition.fields.first { $0.name.text == name }?.range ?? definition.name.range
          report(.recursiveEmbedding(path: path), at: range)
          catalog.embeddedTypes[top.type].fields.remove(at: top.field)
          stack[stack.count - 1].field -= 1
        }
      }
    }
  }

  func isRelation(_ type: ValueType) -> Bool {
    switch type {
    case .entity: true
    case .list(let element): isRelation(element)
    case .scalar, .enumeration, .embedded, .null: false
    }
  }

  /// The fields of a type without those whose name is taken or reserved, which are reported.
  mutating func distinctFields(of definition: TypeDefinition) -> [FieldDefinition] {
    var seen: [String: SourceRange] = [:]
    var result: [FieldDefinition] = []
    for field in definition.fields {
      let name = field.name.text
      if let first = seen[name] {
        report(
          .duplicateField(name: name, type: definition.name.text, first: first), at: field.name.range)
        continue
      }
      seen[name] = field.name.range
      if GraphQLName.isReserved(name) || Property.reservedNames.contains(name) {
        report(.reservedName(name: name), at: field.name.range)
        continue
      }
      if !field.arguments.isEmpty { report(.ignoredFieldArguments(field: name), at: field.name.range) }
      result.append(field)
    }
    return result
  }

  private mutating func checkDirectives(of field: FieldDefinition, inEmbedded: Bool) {
    for directive in field.directives where check(directive, on: .field) {
      let name = directive.name.text
      if inEmbedded, !["default", "source", "was"].contains(name) {
        report(.misplacedDirective(name: name, reason: .inEmbedded), at: directive.name.range)
      }
    }
  }

  private func writtenDefaults(of field: FieldDefinition) -> [SourceRange] {
    field.directives.filter { $0.name.text == "default" }.map(\.range) + (field.defaultValue.map { [$0.range] } ?? [])
  }

  private mutating func defaultValue(of field: FieldDefinition, _ signature: TypeSignature) -> DefaultValue? {
    let directive = directives("default", of: field.directives).first
    if let directive, field.defaultValue != nil {
      report(.twoDefaults(field: field.name.text), at: directive.range)
    }
    var written = field.defaultValue
    if written == nil, let directive {
      written = argument("value", of: directive)?.value
      if written == nil {
        report(.missingDirectiveArgument(directive: "default", argument: "value"), at: directive.name.range)
      }
    }
    guard var expression = written else { return nil }
    while case .parenthesized(let inner) = expression.kind { expression = inner }
    if Self.isNow(expression, signature.type) {
      switch signature.type.scalar {
      case .dateTime?, .date?: return .now
      default:
        report(
          .wrongDefault(
            field: field.name.text,
            problem: .wrongKind(found: "a DateTime", expected: catalog.words(for: signature.type))),
          at: expression.range)
        return nil
      }
    }
    guard let raw = RawValue.folding(expression) else {
      report(.wrongDefault(field: field.name.text, problem: .notConstant), at: expression.range)
      return nil
    }
    switch ValueCoercion(catalog: catalog, origin: .document).coerce(raw, to: signature) {
    case .success(let value): return .value(value)
    case .failure(let failure):
      report(.wrongDefault(field: field.name.text, problem: failure.problem), at: expression.range)
      return nil
    }
  }

  /// `now()`, or the name `now`, which is how plain GraphQL can say it.
  private static func isNow(_ expression: Expression, _ type: ValueType) -> Bool {
    switch expression.kind {
    case .call(let name, let arguments):
      name.text == "now" && arguments.positional.isEmpty && arguments.named.isEmpty
    case .name(let name): name.text == "now" && (type.scalar == .dateTime || type.scalar == .date)
    default: false
    }
  }

  // MARK: Entities

  mutating func buildEntity(_ position: Int) {
    let definition = drafts[entityDrafts[position]].definition
    let id = EntityTypeID(position)
    let name = definition.name.text
    var entity = EntityType(
      id: id, name: name, description: definition.description?.value, rootMany: name, rootOne: name)
    entity.source = sourceName(in: definition.directives)
    entity.identity = identity(in: definition.directives)
    for field in distinctFields(of: definition) {
      checkDirectives(of: field, inEmbedded: false)
      guard let signature = resolve(field.type) else { continue }
      let property = PropertyID(entity.properties.count)
      if let text = computedText(field) {
        entity.properties.append(
          Property(
            id: property, name: field.name.text, description: field.description?.value, signature: signature,
            storage: .computed(text)))
        continue
      }
      if isRelation(signature.type) {
        let column = Self.addColumn(to: &entity, field.name.text, signature.type, isNonNull: false)
        addRelation(field, signature, of: id, property, column)
        entity.properties.append(
          Property(
            id: property, name: field.name.text, description: field.description?.value, signature: signature,
            storage: .relation(RelationID(0))))
        entity.properties[entity.properties.count - 1].deprecation = field.directives.deprecation
        entity.properties[entity.properties.count - 1].source = sourceName(in: field.directives)
        entity.properties[entity.properties.count - 1].merge = mergeRule(in: field.directives, signature.type)
        entity.properties[entity.properties.count - 1].identity = identity(in: field.directives)
        continue
      }
      for directive in field.directives where directive.name.text == "relation" {
        report(.misplacedDirective(name: "relation", reason: .notRelation), at: directive.name.range)
      }
      let isFolded = isCaseInsensitive(field, signature.type)
      let place = FieldPlace(property: property, range: field.range)
      let storage = storage(
        of: signature, named: field.name.text, isNonNull: signature.isNonNull, isFolded: isFolded, at: place,
        in: &entity)
      entity.properties.append(
        Property(
          id: property, name: field.name.text, description: field.description?.value, signature: signature,
          storage: storage, defaultValue: defaultValue(of: field, signature), isCaseInsensitive: isFolded))
      entity.properties[entity.properties.count - 1].deprecation = field.directives.deprecation
      entity.properties[entity.properties.count - 1].source = sourceName(in: field.directives)
      entity.properties[entity.properties.count - 1].isMixed = isMixed(field.directives, signature.type)
      entity.properties[entity.properties.count - 1].merge = mergeRule(in: field.directives, signature.type)
      entity.properties[entity.properties.count - 1].identity = identity(in: field.directives)
    }
    if entity.columns.count > Self.columnLimit {
      report(.tooManyColumns(type: name, limit: Self.columnLimit), at: definition.name.range)
    }
    catalog.types.append(entity)
  }

  private mutating func isCaseInsensitive(_ field: FieldDefinition, _ type: ValueType) -> Bool {
    guard let directive = directives("collate", of: field.directives).first else { return false }
    let saysFold = directive.arguments.contains { argument in
      if argument.name.text == "CI" { return true }
      switch argument.value.kind {
      case .name(let name): return name.text == "CI"
      case .string(let literal): return literal.value == "CI"
      default: return false
      }
    }
    guard saysFold else {
      report(.notSupportedYet(.languageCollation), at: directive.range)
      return false
    }
    guard type == .string else {
      report(.misplacedDirective(name: "collate", reason: .notText), at: directive.name.range)
      return false
    }
    return true
  }

  @discardableResult
  static func addColumn(
    to entity: inout EntityType, _ name: String, _ type: ValueType, isNonNull: Bool, foldedFrom: ColumnID? = nil
  ) -> ColumnID {
    let id = ColumnID(entity.columns.count)
    var kind = ColumnKind(type)
    if case .list(.entity) = type { kind = .references }
    entity.columns.append(
      ColumnDescriptor(id: id, name: name, kind: kind, type: type, isNonNull: isNonNull, foldedFrom: foldedFrom))
    return id
  }

  /// The property that storage is made for.
  struct FieldPlace {
    var property: PropertyID
    var range: SourceRange
    /// Of the embedded object around, if any.
    var presence: ColumnID?
  }

  mutating func storage(
    of signature: TypeSignature, named name: String, isNonNull: Bool, isFolded: Bool, at place: FieldPlace,
    in entity: inout EntityType
  ) -> PropertyStorage {
    var type = signature.type
    if isRelation(type) {
      let column = Self.addColumn(to: &entity, name, type, isNonNull: false)
      return .relation(
        addEmbeddedRelation(
          name, signature, of: entity.id, place.property, column, presence: place.presence, at: place.range))
    }
    // Lists of lists lie as JSON.
    if case .list(.list) = type { type = .json }
    guard case .embedded(let id) = type else {
      let column = Self.addColumn(to: &entity, name, type, isNonNull: isNonNull)
      let folded =
        isFolded ? Self.addColumn(to: &entity, name, type, isNonNull: isNonNull, foldedFrom: column) : nil
      return .column(column, folded: folded)
    }
    let presence = Self.addColumn(to: &entity, name, .boolean, isNonNull: isNonNull)
    var fields: [PropertyStorage] = []
    // Past the limit nothing is added: embedded types can double at each level.
    for field in catalog[id].fields where entity.columns.count <= Self.columnLimit {
      var inner = place
      inner.presence = presence
      fields.append(
        storage(
          of: field.signature, named: "\(name).\(field.name)",
          isNonNull: isNonNull && field.signature.isNonNull, isFolded: false, at: inner, in: &entity))
    }
    return .embedded(id, presence: presence, fields: fields)
  }
}
