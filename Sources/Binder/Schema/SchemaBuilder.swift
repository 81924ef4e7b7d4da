import GQLBase
import GQLCatalog
import GQLParser

/// Type definitions to a catalog; total: what is wrong is left out and reported.
///
/// With `extending`, the document adds to the types of a catalog, whose own definitions come first and keep their
/// places. No more than `problems` are reported.
package func buildCatalog(
  _ document: Document, extending: Catalog? = nil, problems: Int = 100
) -> Analyzed<Catalog> {
  var builder = SchemaBuilder(problems: problems)
  if let extending {
    builder.collect(schemaDefinitions(of: extending).map { .type($0) } + declaredDefinitions(of: extending))
    builder.inheritsRoots = extending.rootNames.contains { !$0.isDeleted }
  }
  builder.collect(document.definitions)
  builder.build()
  if let extending { builder.catalog.version = extending.version &+ 1 }
  return Analyzed(builder.catalog, builder.diagnostics.first(problems))
}

/// The paths of `extend schema @data(from: "…")`, as written, in the order of the document.
package func dataSources(_ document: Document) -> [(path: String, range: SourceRange)] {
  var sources: [(path: String, range: SourceRange)] = []
  for case .schema(let schema) in document.definitions {
    for directive in schema.directives where directive.name.text == "data" {
      for argument in directive.arguments where argument.name.text == "from" {
        if case .string(let literal) = argument.value.kind { sources.append((literal.value, argument.value.range)) }
      }
    }
  }
  return sources
}

/// The state of building one catalog, phase by phase.
struct SchemaBuilder {
  /// A definition with its extensions merged in.
  struct Draft {
    var definition: TypeDefinition
    var role = Role.ignored
  }

  enum Role: Hashable {
    case scalar(ScalarType)
    case entity(EntityTypeID)
    case embedded(EmbeddedTypeID)
    case enumeration(EnumTypeID)
    case abstract(EntityTypeID)
    case root
    case ignored
  }

  /// A field whose type is an entity, until its relation is made.
  struct RelationDraft {
    var source: EntityTypeID
    var target: EntityTypeID
    var property: PropertyID
    var column: ColumnID
    var isToMany: Bool
    var isRequired: Bool
    var name: String
    var range: SourceRange
    var inverse: (name: String, range: SourceRange)?
    /// `@relation` without an inverse says that this is a relation of its own.
    var isDeclaredOneWay = false
    var onDelete = Relation.DeleteRule.nullify
    var partner: Int?
    var partnerRange: SourceRange?
    /// The presence column of the embedded object that the field stands in.
    var presence: ColumnID?
    var isInEmbedded = false
    /// The elements of a list of embedded objects: each belongs to one owner and goes with it.
    var isOwned = false
  }

  static let columnLimit = 10_000
  private let suggestions: Suggestions
  var catalog = Catalog()
  var diagnostics: [Diagnostic] = []
  var drafts: [Draft] = []
  var draftIndex: [String: Int] = [:]
  var extensions: [TypeDefinition] = []
  var declaredDirectives: Set<String> = []
  var queryName = "Query"
  /// True while `type Query` is known from the catalog that is extended only.
  var inheritsRoots = false
  var otherRoots: Set<String> = ["Mutation", "Subscription"]
  var relations: [RelationDraft] = []
  /// `relationDrafts[type]` by property name.
  var relationIndex: [EntityTypeID: [String: Int]] = [:]
  /// Indices into `drafts` of entities and embedded types, by their identifiers.
  var entityDrafts: [Int] = []
  var embeddedDrafts: [Int] = []
  /// Indices into `drafts` of interfaces and unions; their identifiers follow those of the entities.
  var abstractDrafts: [Int] = []
  /// The embedded types that stand in lists; the identifiers of their hidden types follow those of the interfaces and
  /// unions.
  var elementTypes: [EmbeddedTypeID] = []
  /// The places of ``elementTypes``.
  private var elementPlaces: [EmbeddedTypeID: Int] = [:]

  init(problems: Int) { suggestions = Suggestions(problems: problems) }

  @inline(never)
  mutating func report(_ problem: SchemaProblem, at range: SourceRange) {
    diagnostics.append(problem.diagnostic(at: range))
  }

  /// The names that one, which stands at `range`, may have been meant as.
  func suggest(_ name: String, at range: SourceRange, _ candidates: @autoclosure () -> [String]) -> [String] {
    suggestions.near(name, at: range, candidates)
  }

  mutating func collect(_ definitions: [Definition]) {
    catalog.declarations += declarations(of: definitions)
    for definition in definitions {
      switch definition {
      case .type(let type):
        if type.isExtension { extensions.append(type) } else { define(type) }
      case .schema(let schema):
        for root in schema.operationTypes {
          if root.operation == .query { queryName = root.type.text } else { otherRoots.insert(root.type.text) }
        }
        for directive in schema.directives where check(directive, on: .schema) { checkData(directive) }
      case .directive(let directive): declaredDirectives.insert(directive.name.text)
      case .operation, .fragment, .function: break
      }
    }
  }

  private mutating func define(_ type: TypeDefinition) {
    let name = type.name.text
    if let first = draftIndex[name] {
      // A document that adds to a catalog may say its own `type Query`.
      if name == queryName, inheritsRoots {
        inheritsRoots = false
        extensions.append(type)
        return
      }
      report(.duplicateType(name: name, first: drafts[first].definition.name.range), at: type.name.range)
      return
    }
    if GraphQLName.isReserved(name) { report(.reservedName(name: name), at: type.name.range) }
    if let scalar = ScalarType(rawValue: name) {
      // `scalar DateTime` declares what is there already.
      if type.kind == .scalar { return }
      report(.reservedName(name: scalar.rawValue), at: type.name.range)
      return
    }
    draftIndex[name] = drafts.count
    drafts.append(Draft(definition: type))
  }

  mutating func build() {
    mergeExtensions()
    assignRoles()
    checkIdentities()
    buildEnums()
    buildEmbeddedTypes()
    for index in entityDrafts.indices { buildEntity(index) }
    for index in abstractDrafts.indices { buildAbstract(index) }
    buildElementTypes()
    buildRelations()
    linkMembers()
    for index in entityDrafts.indices { buildIndexes(of: index) }
    installNoKeys()
    bindMemberFields()
    buildRoots()
    // Hidden rows have no times of their own.
    for index in catalog.types.indices where catalog.types[index].kind == .entity {
      Self.addTimes(to: &catalog.types[index])
    }
    let status = EnumTypeID(catalog.enums.count)
    catalog.enums.append(EnumType(id: status, name: "_Status", values: ["CREATED", "DELETED"]))
    catalog.statusType = status
    catalog.indexNames()
    checkComputedFields()
  }

  /// The hidden columns behind `_createdAt` and `_updatedAt`, after all others.
  private static func addTimes(to entity: inout EntityType) {
    entity.createdColumn = addColumn(to: &entity, "_createdAt", .scalar(.dateTime), isNonNull: true)
    entity.updatedColumn = addColumn(to: &entity, "_updatedAt", .scalar(.dateTime), isNonNull: true)
  }

  private mutating func mergeExtensions() {
    for type in extensions {
      let name = type.name.text
      guard let index = draftIndex[name] else {
        let near = suggest(name, at: type.name.range, drafts.map(\.definition.name.text))
        report(.extensionOfNothing(name: name, near: near), at: type.name.range)
        continue
      }
      guard drafts[index].definition.kind == type.kind else {
        report(.extensionOfOtherKind(name: name), at: type.name.range)
        continue
      }
      drafts[index].definition.interfaces += type.interfaces
      drafts[index].definition.directives += type.directives
      drafts[index].definition.fields += type.fields
      drafts[index].definition.members += type.members
      drafts[index].definition.values += type.values
    }
  }

  private mutating func assignRoles() {
    for index in drafts.indices {
      let definition = drafts[index].definition
      switch definition.kind {
      // Decided: a scalar that the schema invents holds any JSON value.
      case .scalar: drafts[index].role = .scalar(.json)
      case .interface, .union: abstractDrafts.append(index)
      case .inputObject: drafts[index].role = .ignored
      case .enum:
        drafts[index].role = .enumeration(EnumTypeID(catalog.enums.count))
        catalog.enums.append(
          EnumType(
            id: EnumTypeID(catalog.enums.count), name: definition.name.text,
            description: definition.description?.value, values: []))
      case .object:
        if definition.name.text == queryName {
          drafts[index].role = .root
        } else if otherRoots.contains(definition.name.text), !isEntity(definition) {
          report(.ignoredType(name: definition.name.text), at: definition.name.range)
        } else if isEntity(definition) {
          drafts[index].role = .entity(EntityTypeID(entityDrafts.count))
          entityDrafts.append(index)
        } else {
          drafts[index].role = .embedded(EmbeddedTypeID(embeddedDrafts.count))
          embeddedDrafts.append(index)
        }
      }
    }
    for (position, index) in abstractDrafts.enumerated() {
      drafts[index].role = .abstract(EntityTypeID(entityDrafts.count + position))
    }
    for index in drafts.indices {
      for directive in drafts[index].definition.directives {
        switch drafts[index].definition.kind {
        case .object: check(directive, on: .object)
        case .interface, .union: check(directive, on: .abstract)
        case .enum: check(directive, on: .enumeration)
        case .scalar, .inputObject: check(directive, on: .other)
        }
      }
      for name in drafts[index].definition.interfaces where draftIndex[name.text] == nil {
        let near = suggest(name.text, at: name.range, drafts.map(\.definition.name.text))
        report(.unknownType(name: name.text, near: near), at: name.range)
      }
    }
  }

  private func isEntity(_ definition: TypeDefinition) -> Bool {
    definition.directives.contains { $0.name.text == "id" }
      || definition.fields.contains { field in
        field.name.text == "id" || field.directives.contains { $0.name.text == "id" }
      }
  }

  private mutating func buildEnums() {
    for draft in drafts {
      guard case .enumeration(let id) = draft.role else { continue }
      catalog.enums[Int(id.index)].identity = identity(in: draft.definition.directives)
      var seen: [String: SourceRange] = [:]
      for value in draft.definition.values {
        let name = value.name.text
        if let first = seen[name] {
          report(.duplicateEnumValue(name: name, type: draft.definition.name.text, first: first), at: value.name.range)
          continue
        }
        seen[name] = value.name.range
        let known = value.directives.filter { check($0, on: .enumValue) }
        catalog.enums[Int(id.index)].values.append(name)
        catalog.enums[Int(id.index)].notes.append(
          EnumType.Note(
            description: value.description?.value, deprecation: value.directives.deprecation,
            identity: identity(in: known)))
      }
      if catalog.enums[Int(id.index)].notes.allSatisfy({ $0 == EnumType.Note() }) {
        catalog.enums[Int(id.index)].notes = []
      }
      if seen.isEmpty { report(.emptyType(name: draft.definition.name.text), at: draft.definition.name.range) }
      if seen.count > 65_535 {
        report(.tooManyEnumValues(type: draft.definition.name.text), at: draft.definition.name.range)
        catalog.enums[Int(id.index)].values.removeSubrange(65_535...)
        catalog.enums[Int(id.index)].notes = []
      }
    }
  }

  /// What a field's type refers to, with the problem reported where there is one.
  mutating func resolve(_ reference: TypeReference) -> TypeSignature? {
    var isNonNull = false
    var current = reference
    if case .nonNull(let inner, _) = current {
      isNonNull = true
      current = inner
    }
    switch current {
    case .nonNull: return nil
    case .named(let name):
      guard let type = valueType(name) else { return nil }
      return TypeSignature(type, isNonNull: isNonNull)
    case .list(let element, let range):
      var isElementNonNull = false
      var inner = element
      if case .nonNull(let type, _) = inner {
        isElementNonNull = true
        inner = type
      }
      guard case .named(let name) = inner else {
        guard var signature = resolve(element) else { return nil }
        guard isScalarList(signature.type) else {
          report(.nestedList, at: range)
          return nil
        }
        signature.innerNonNull.insert(signature.isElementNonNull, at: 0)
        signature.isElementNonNull = signature.isNonNull
        signature.isNonNull = isNonNull
        signature.type = .list(signature.type)
        return signature
      }
      guard let type = valueType(name) else { return nil }
      if case .embedded(let id) = type {
        return TypeSignature(
          .list(.entity(elementType(of: id))), isNonNull: isNonNull, isElementNonNull: isElementNonNull)
      }
      return TypeSignature(.list(type), isNonNull: isNonNull, isElementNonNull: isElementNonNull)
    }
  }

  private func isScalarList(_ type: ValueType) -> Bool {
    switch type {
    case .list(let element): isScalarList(element)
    case .scalar, .enumeration: true
    case .entity, .embedded, .null: false
    }
  }

  /// The hidden type whose rows are the elements of lists of an embedded type.
  mutating func elementType(of id: EmbeddedTypeID) -> EntityTypeID {
    let position = elementPlaces[id] ?? elementTypes.count
    if position == elementTypes.count {
      elementPlaces[id] = position
      elementTypes.append(id)
    }
    return EntityTypeID(entityDrafts.count + abstractDrafts.count + position)
  }

  private mutating func valueType(_ name: Name) -> ValueType? {
    if let scalar = ScalarType(rawValue: name.text) { return .scalar(scalar) }
    guard let index = draftIndex[name.text] else {
      let near = suggest(
        name.text, at: name.range, drafts.map(\.definition.name.text) + ScalarType.allCases.map(\.rawValue))
      report(.unknownType(name: name.text, near: near), at: name.range)
      return nil
    }
    switch drafts[index].role {
    case .scalar(let scalar): return .scalar(scalar)
    case .entity(let id): return .entity(id)
    case .embedded(let id): return .embedded(id)
    case .enumeration(let id): return .enumeration(id)
    case .abstract(let id): return .entity(id)
    case .root, .ignored:
      report(.unknownType(name: name.text, near: []), at: name.range)
      return nil
    }
  }
}
