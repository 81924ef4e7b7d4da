import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension IntrospectionSchema {
  /// What GraphQL clients see of a catalog: every root field with arguments in object form, and the input types that
  /// these take. Names that GraphQL cannot write are left out.
  ///
  /// Complexity: O(types and their fields).
  package init(_ catalog: Catalog, commands: [CommandDescriptor] = []) {
    // What has no history has no versions, and stays as it is.
    var builder = IntrospectionBuilder(VersionCatalog(catalog).catalog, commands)
    self = builder.build()
  }
}

/// The state of building one schema: types get their numbers when they are first named, and their contents later.
struct IntrospectionBuilder {
  typealias Schema = IntrospectionSchema

  let catalog: Catalog
  let names: GeneratedNames
  let commands: [CommandDescriptor]
  var schema = Schema()
  /// Generated types that were named and are not made yet.
  private var pending: [GeneratedType] = []
  private var hiddenEmbedded: Set<EmbeddedTypeID> = []

  init(_ catalog: Catalog, _ commands: [CommandDescriptor]) {
    self.catalog = catalog
    self.commands = commands
    names = GeneratedNames(catalog)
  }

  mutating func build() -> Schema {
    findHiddenTypes()
    schema.queryType = number(.query)
    if !commands.isEmpty || catalog.types.contains(where: { $0.kind == .entity && isVisible($0.id) }) {
      schema.mutationType = number(.mutation)
    }
    schema.subscriptionType = number(.subscription)
    for type in catalog.types where !type.isElement && isVisible(type.id) { addEntity(type) }
    for type in catalog.embeddedTypes where isVisible(type.id) { addEmbedded(type) }
    for type in catalog.enums where isVisible(type.id) { addEnum(type) }
    var next = 0
    while next < pending.count {
      addGenerated(pending[next])
      next += 1
    }
    addDirectives()
    addDeclarations()
    // Directives may have named further ones.
    while next < pending.count {
      addGenerated(pending[next])
      next += 1
    }
    for scalar in ScalarType.allCases where scalar != .cursor || isSupported("cursorPaging") { addScalar(scalar) }
    addMetaTypes()
    return schema
  }

  /// Whether the language's feature with this name in ``NotSupportedYet`` runs.
  func isSupported(_ feature: String) -> Bool { !NotSupportedYet.allCases.contains { $0.rawValue == feature } }

  // MARK: - What can be shown

  func isVisible(_ id: EntityTypeID) -> Bool {
    let type = catalog[id]
    guard GraphQLName.isFree(type.name) else { return false }
    switch type.kind {
    case .element(let embedded): return isVisible(embedded)
    case .union: return type.members.contains { isVisible($0.type) }
    case .entity, .interface: return hasKeys(id)
    }
  }

  /// Whether a type has a field that can be compared and shown: its order and the enum of its fields need one.
  func hasKeys(_ id: EntityTypeID) -> Bool {
    catalog[id].properties.contains { property in
      guard Self.isEnumValue(property.name) else { return false }
      if case .list = property.signature.type { return false }
      return isPlain(property.signature.type)
    }
  }

  func isVisible(_ id: EmbeddedTypeID) -> Bool { !hiddenEmbedded.contains(id) }

  func isVisible(_ id: EnumTypeID) -> Bool {
    GraphQLName.isFree(catalog[id].name) && catalog[id].values.contains(where: Self.isEnumValue)
  }

  static func isEnumValue(_ name: String) -> Bool {
    GraphQLName.isFree(name) && !["true", "false", "null"].contains(name)
  }

  /// A scalar, an enum, or a list of them.
  func isPlain(_ type: ValueType) -> Bool {
    switch type {
    case .scalar: true
    case .enumeration(let id): isVisible(id)
    case .list(let element): isPlain(element)
    case .embedded, .entity, .null: false
    }
  }

  /// Embedded types of which nothing could be shown, since objects have fields. They contain no circles.
  private mutating func findHiddenTypes() {
    hiddenEmbedded = Set(catalog.embeddedTypes.map(\.id))
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for type in catalog.embeddedTypes where hiddenEmbedded.contains(type.id) && GraphQLName.isFree(type.name) {
        let hasField = type.fields.contains { field in
          guard GraphQLName.isFree(field.name) else { return false }
          if case .embedded(let inner) = field.signature.type { return isVisible(inner) }
          return isPlain(field.signature.type)
        }
        guard hasField else { continue }
        hiddenEmbedded.remove(type.id)
        hasChanged = true
      }
    }
  }

  // MARK: - References

  /// The number of a named type; a place for it if it is new.
  mutating func number(_ name: String) -> Int {
    if let known = schema.numbers[name] { return known }
    let number = schema.types.count
    schema.numbers[name] = number
    schema.types.append(Schema.NamedType(name: name, kind: .scalar))
    return number
  }

  mutating func number(_ type: GeneratedType) -> Int {
    let name = names[type]
    if let known = schema.numbers[name] { return known }
    pending.append(type)
    return number(name)
  }

  mutating func named(_ type: GeneratedType) -> Schema.Reference { .named(number(type)) }

  /// The type of an argument in SDL, such as `[UserInput!]!`.
  mutating func argumentReference(_ text: String) -> Schema.Reference {
    if text.hasSuffix("!") { return .nonNull(argumentReference(String(text.dropLast()))) }
    if text.hasPrefix("["), text.hasSuffix("]") {
      return .list(argumentReference(String(text.dropFirst().dropLast())))
    }
    if let type = names.type(written: text) { return named(type) }
    return .named(number(text))
  }

  /// A type in SDL, such as `[Cursor!]!`.
  mutating func reference(_ text: String) -> Schema.Reference {
    if text.hasSuffix("!") { return .nonNull(reference(String(text.dropLast()))) }
    if text.hasPrefix("["), text.hasSuffix("]") { return .list(reference(String(text.dropFirst().dropLast()))) }
    if let known = schema.numbers[text] { return .named(known) }
    return .named(number(text))
  }

  /// The type of a value that is read; nil where it cannot be shown.
  mutating func output(_ signature: TypeSignature) -> Schema.Reference? {
    let flags = [signature.isElementNonNull] + signature.innerNonNull
    guard let inner = output(signature.type, nonNull: flags[...]) else { return nil }
    return signature.isNonNull ? .nonNull(inner) : inner
  }

  /// `nonNull` says of the elements of lists, from the outermost in, that they are not null.
  private mutating func output(_ type: ValueType, nonNull: ArraySlice<Bool>) -> Schema.Reference? {
    switch type {
    case .scalar(let scalar): return .named(number(scalar.rawValue))
    case .enumeration(let id): return isVisible(id) ? .named(number(catalog[id].name)) : nil
    case .embedded(let id): return isVisible(id) ? .named(number(catalog[id].name)) : nil
    case .entity(let id): return isVisible(id) ? .named(number(catalog[id].name)) : nil
    case .null: return nil
    case .list(.entity(let id)):
      // A relation to many has no null in it, whatever the schema says of its elements.
      return isVisible(id) ? .list(.nonNull(.named(number(catalog[id].name)))) : nil
    case .list(let element):
      guard let inner = output(element, nonNull: nonNull.dropFirst()) else { return nil }
      return .list(nonNull.first ?? false ? .nonNull(inner) : inner)
    }
  }

  // MARK: - Types of the schema

  private mutating func addEntity(_ type: EntityType) {
    let place = number(type.name)
    var fields: [Schema.Field] = []
    for property in type.properties where GraphQLName.isFree(property.name) {
      guard var reference = output(property.signature) else { continue }
      var arguments: [Schema.InputValue] = []
      if case .list(.entity(let target)) = property.signature.type {
        if case .nonNull = reference {} else { reference = .nonNull(reference) }
        // A member whose field leads to a narrower type takes other arguments, so the interface's has none.
        if hasOneTarget(property, target) { arguments = setArguments(of: target) }
      }
      fields.append(
        Schema.Field(
          name: property.name, description: property.description, arguments: arguments, type: reference,
          deprecation: property.deprecation))
    }
    switch type.kind {
    case .entity where type.pastRole != nil: fields += metaFields(of: type).filter { $0.name == "_cursor" }
    case .entity: fields += metaFields(of: type)
    // Members' groups take other arguments than the interface's.
    case .interface: fields += metaFields(of: type).filter { $0.name != "_items" }
    case .union, .element: break
    }
    let members = type.members.filter { isVisible($0.type) }.map { number(catalog[$0.type].name) }
    let interfaces = interfaces(of: type)
    schema.types[place].description = type.description
    switch type.kind {
    case .entity, .element: schema.types[place].kind = .object
    case .interface: schema.types[place].kind = .interface
    case .union: schema.types[place].kind = .union
    }
    if type.kind != .union { schema.types[place].fields = fields }
    schema.types[place].possibleTypes = members
    schema.types[place].interfaces = interfaces
  }

  /// The interfaces of a type, and those that they say to implement themselves.
  private mutating func interfaces(of type: EntityType) -> [Int] {
    var found: [EntityTypeID] = []
    var next = type.interfaces
    while let id = next.popLast() {
      if id == type.id || found.contains(id) { continue }
      found.append(id)
      next += catalog[id].interfaces
    }
    return found.sorted().filter { isVisible($0) }.map { number(catalog[$0].name) }
  }

  /// Whether a field of an interface leads to the same type in all members.
  private func hasOneTarget(_ property: Property, _ target: EntityTypeID) -> Bool {
    guard case .members(let fields) = property.storage else { return true }
    return fields.allSatisfy { field in
      catalog[field.member.type][field.property].signature.type == .list(.entity(target))
    }
  }

  private mutating func addEmbedded(_ type: EmbeddedType) {
    let place = number(type.name)
    var fields: [Schema.Field] = []
    for field in type.fields where GraphQLName.isFree(field.name) {
      guard var reference = output(field.signature) else { continue }
      var arguments: [Schema.InputValue] = []
      if case .list(.entity(let target)) = field.signature.type {
        if case .nonNull = reference {} else { reference = .nonNull(reference) }
        arguments = setArguments(of: target)
      }
      fields.append(
        Schema.Field(
          name: field.name, description: field.description, arguments: arguments, type: reference,
          deprecation: field.deprecation))
    }
    schema.types[place].kind = .object
    schema.types[place].description = type.description
    schema.types[place].fields = fields
  }

  private mutating func addEnum(_ type: EnumType) {
    let place = number(type.name)
    var values: [Schema.EnumValue] = []
    for (index, value) in type.values.enumerated() where Self.isEnumValue(value) {
      let note = type.notes.indices.contains(index) ? type.notes[index] : EnumType.Note()
      values.append(Schema.EnumValue(name: value, description: note.description, deprecation: note.deprecation))
    }
    schema.types[place].kind = .enumeration
    schema.types[place].description = type.description
    schema.types[place].values = values
  }

  /// The fields that every entity has and no schema writes.
  private mutating func metaFields(of type: EntityType) -> [Schema.Field] {
    var fields: [Schema.Field] = []
    func add(_ builder: inout IntrospectionBuilder, _ name: String, _ reference: String, _ description: String) {
      fields.append(
        Schema.Field(
          name: name, description: description, arguments: [], type: builder.reference(reference), deprecation: nil))
    }
    if isSupported("cursorMeta") {
      add(&self, "_cursor", "Cursor!", "The position in this list, for 'after' and 'before'.")
    }
    if isSupported("scoreMeta") {
      add(&self, "_score", "Float!", "How well the entity matches the search text in 'where'.")
    }
    if isSupported("timestampMeta") {
      add(&self, "_createdAt", "DateTime!", "The time of creation.")
      add(&self, "_updatedAt", "DateTime!", "The time of the last change.")
    }
    if isSupported("statusMeta"), let status = catalog.statusType.map({ catalog[$0] }),
      GraphQLName.isFree(status.name)
    {
      add(&self, "_status", status.name + "!", "Whether the entity exists or is deleted.")
    }
    if isSupported("recursionMeta") {
      add(&self, "_depth", "Int", "The number of steps from the start. Null outside '@recurse'.")
      add(&self, "_cycle", "Boolean", "Whether the entity is among its own ancestors. Null outside '@recurse'.")
    }
    if schema.mutationType != nil {
      add(&self, "_inserted", "Boolean", "Whether the mutation created the entity. Null outside mutations.")
    }
    if isSupported("groupMeta") {
      fields.append(
        Schema.Field(
          name: "_items", description: "The members of the group. Requires 'groupBy'.",
          arguments: setArguments(of: type.id),
          type: .nonNull(.list(.nonNull(.named(number(type.name))))), deprecation: nil))
    }
    return fields
  }

  // MARK: - Arguments

  func argument(
    _ name: String, _ type: Schema.Reference, _ description: String, default value: String? = nil
  ) -> Schema.InputValue {
    Schema.InputValue(name: name, description: description, type: type, defaultValue: value, deprecation: nil)
  }

  /// The arguments of every selection of many.
  mutating func setArguments(of type: EntityTypeID) -> [Schema.InputValue] {
    let hasKeys = hasKeys(type)
    var arguments = [argument("where", named(.filter(type)), "Selects the entities that match this condition.")]
    if hasKeys {
      arguments.append(
        argument("orderBy", .list(.nonNull(named(.order(type)))), "Sorts the entities. Nulls come last."))
    }
    arguments.append(argument("limit", reference("Int"), "Returns at most this many entities."))
    arguments.append(argument("offset", reference("Int"), "Skips this many entities."))
    if isSupported("cursorPaging") {
      arguments.append(argument("after", reference("Cursor"), "Starts after the entity with this '_cursor'."))
      arguments.append(argument("before", reference("Cursor"), "Ends before the entity with this '_cursor'."))
    }
    if hasKeys {
      let keys = Schema.Reference.list(.nonNull(named(.fields(type))))
      arguments.append(argument("distinctOn", keys, "Keeps the first entity of those that are equal in these fields."))
      if isSupported("grouping") { arguments.append(argument("groupBy", keys, "Groups the entities by these fields.")) }
    }
    if isSupported("deletedEntities"), !catalog[type].isElement, catalog[type].pastRole == nil {
      arguments.append(argument("deleted", named(.deleted), "Selects deleted entities, alone or with the others."))
    }
    return arguments
  }

  /// The arguments of `user(id: "7")`: a key's fields. They are required where there is only one key.
  mutating func keyArguments(of id: EntityTypeID) -> [Schema.InputValue]? {
    let type = catalog[id]
    var keys: [[(name: String, type: Schema.Reference)]] = []
    for index in type.indexes where catalog[index].isUnique {
      var key: [(name: String, type: Schema.Reference)] = []
      for column in catalog[index].columns {
        let descriptor = type[column]
        let name = type[descriptor.foldedFrom ?? column].name
        guard GraphQLName.isFree(name), isPlain(descriptor.type),
          let reference = output(TypeSignature(descriptor.type))
        else { break }
        key.append((name, reference))
      }
      if key.count == catalog[index].columns.count { keys.append(key) }
    }
    if keys.isEmpty { return nil }
    var arguments: [Schema.InputValue] = []
    for key in keys {
      for part in key where !arguments.contains(where: { $0.name == part.name }) {
        arguments.append(
          argument(
            part.name, keys.count == 1 ? .nonNull(part.type) : part.type,
            key.count == 1
              ? "The unique value of this field." : "A part of the key (\(key.map(\.name).joined(separator: ", ")))."))
      }
    }
    return arguments
  }
}
