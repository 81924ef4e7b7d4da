import GQLBase
import GQLCatalog
import GQLQuery

/// Types that the schema does not write.
extension IntrospectionBuilder {
  mutating func addGenerated(_ type: GeneratedType) {
    let place = number(names[type])
    switch type {
    case .query, .subscription:
      schema.types[place].kind = .object
      schema.types[place].description =
        type == .query
        ? "The root of queries." : "The root of subscriptions, which return their answers again whenever they change."
      schema.types[place].fields = rootFields()
    case .mutation:
      schema.types[place].kind = .object
      schema.types[place].description = "The root of mutations. All fields of an operation take effect, or none."
      schema.types[place].fields = mutationFields()
    case .filter(let id):
      let fields = filterFields(of: id, place)
      makeInput(place, "A condition on '\(catalog[id].name)'. All given fields must match.", fields)
    case .relationFilter(let id):
      let inner = named(.filter(id))
      makeInput(
        place, "A condition on a list of '\(catalog[id].name)' entities.",
        [
          argument("some", inner, "Matches if at least one entity matches."),
          argument("every", inner, "Matches if every entity matches."),
          argument("none", inner, "Matches if no entity matches."),
          argument("count", named(.scalarFilter(.int)), "Matches by the number of entities."),
        ])
    case .embeddedFilter(let id):
      var fields: [Schema.InputValue] = []
      for field in catalog[id].fields where GraphQLName.isFree(field.name) {
        guard let filter = filter(field.signature.type) else { continue }
        fields.append(input(field.name, filter, field.description, field.deprecation))
      }
      addNullTest(&fields)
      makeInput(place, "A condition on '\(catalog[id].name)'. All given fields must match.", fields)
    case .enumFilter(let id):
      makeInput(
        place, "A condition on a value of the enum '\(catalog[id].name)'. Values are ordered as declared.",
        operators(.named(number(catalog[id].name)), isOrdered: true, isText: false))
    case .scalarFilter(let scalar):
      makeInput(
        place, "A condition on a value of the type '\(scalar.rawValue)'.",
        operators(
          reference(scalar.rawValue), isOrdered: Self.isOrdered(scalar), isText: scalar.isTextual,
          isJSON: scalar == .json))
    case .scalarListFilter(let scalar):
      makeInput(
        place, "A condition on a list of '\(scalar.rawValue)' values.", listOperators(reference(scalar.rawValue)))
    case .enumListFilter(let id):
      makeInput(
        place, "A condition on a list of '\(catalog[id].name)' values.", listOperators(.named(number(catalog[id].name)))
      )
    case .order(let id):
      var fields: [Schema.InputValue] = []
      for property in catalog[id].properties where GraphQLName.isFree(property.name) {
        guard let order = order(property.signature.type) else { continue }
        fields.append(input(property.name, order, property.description, property.deprecation))
      }
      if catalog[id].pastRole == nil, catalog[id].kind == .entity || catalog[id].kind == .interface {
        fields.append(argument("_createdAt", named(.direction), "Sorts by the time of creation."))
        fields.append(argument("_updatedAt", named(.direction), "Sorts by the time of the last change."))
      }
      makeInput(place, "The fields that '\(catalog[id].name)' is sorted by, the most important first.", fields)
    case .embeddedOrder(let id):
      var fields: [Schema.InputValue] = []
      for field in catalog[id].fields where GraphQLName.isFree(field.name) {
        guard let order = order(field.signature.type) else { continue }
        fields.append(input(field.name, order, field.description, field.deprecation))
      }
      makeInput(place, "The fields that '\(catalog[id].name)' is sorted by, the most important first.", fields)
    case .fields(let id):
      var values: [Schema.EnumValue] = []
      for property in catalog[id].properties where Self.isEnumValue(property.name) {
        guard isKey(property.signature.type) else { continue }
        values.append(
          Schema.EnumValue(
            name: property.name, description: property.description, deprecation: property.deprecation))
      }
      makeEnum(place, "The fields of '\(catalog[id].name)' that can be compared.", values)
    case .input(let id):
      var fields: [Schema.InputValue] = []
      for property in catalog[id].properties where GraphQLName.isFree(property.name) {
        if case .computed = property.storage { continue }
        guard let type = inputType(property.signature) else { continue }
        fields.append(input(property.name, type, property.description, property.deprecation))
      }
      makeInput(
        place, "The values of '\(catalog[id].name)' to insert or update. An update leaves omitted fields unchanged.",
        fields)
    case .embeddedInput(let id):
      var fields: [Schema.InputValue] = []
      for field in catalog[id].fields where GraphQLName.isFree(field.name) {
        guard let type = inputType(field.signature) else { continue }
        fields.append(input(field.name, type, field.description, field.deprecation))
      }
      makeInput(place, "The values of '\(catalog[id].name)' to insert or update.", fields)
    case .links(let id):
      // A strict client cannot write `__typename`, so what leads to an interface or union is given by ids.
      let target = catalog[id].isAbstract ? reference("ID") : named(.input(id))
      let targets = Schema.Reference.list(.nonNull(target))
      makeInput(
        place,
        "Changes of the links to '\(catalog[id].name)'. An object with the key of an existing entity refers to it.",
        [
          argument("set", targets, "Replaces all links."), argument("append", targets, "Adds links."),
          argument("remove", targets, "Removes links."),
        ])
    case .direction:
      makeEnum(place, "A sort direction.", [value("ASC", "Smallest first."), value("DESC", "Largest first.")])
    case .deleted:
      makeEnum(
        place, "The deleted entities to select.",
        [value("ONLY", "Only deleted entities."), value("INCLUDE", "Deleted entities and all others.")])
    case .access:
      makeEnum(
        place, "A way to find entities.",
        AccessHint.Access.allCases.map { value($0.rawValue, Self.description(of: $0)) })
    case .expandLevel:
      makeEnum(
        place, "The form of related entities.",
        [
          value("ENTITIES", "All fields."), value("FRAGMENTS", "All fields that are not null."),
          value("IDS", "Only ids."),
        ])
    case .liveMode:
      let values = [value("FULL", "The whole answer."), value("DIFF", "The differences from the last answer.")]
      makeEnum(place, "The form of the updates of an answer.", values)
    case .undo, .undoExtent: addUndo(type, place)
    case .strategy:
      makeEnum(
        place, "The effect of an upsert on an existing entity.",
        [
          value("FAIL", "Reports an error."), value("KEEP", "Leaves the entity unchanged."),
          value("REPLACE", "Replaces all values."), value("PATCH", "Sets the fields that are not null."),
          value("APPEND", "Sets the fields that are not null, and appends to lists."),
          value("LAST_WRITE_WINS", "Keeps the newer entity, and fills its missing values from the older one."),
        ])
    }
  }

  private mutating func addUndo(_ type: GeneratedType, _ place: Int) {
    if type == .undoExtent {
      return makeEnum(
        place, "The part of a change that is taken back.",
        [
          value("ALL", "All of it, or an error if a later change has written some of it."),
          value("UNTOUCHED", "The part that no later change has written."),
        ])
    }
    schema.types[place].kind = .object
    schema.types[place].description = "The result of taking a change back."
    schema.types[place].fields = [
      Schema.Field(
        name: "_version", description: "The new version. Null if nothing was left to be taken back.", arguments: [],
        type: reference("Int"), deprecation: nil)
    ]
  }

  // MARK: - Making types

  func input(
    _ name: String, _ type: Schema.Reference, _ description: String?, _ deprecation: String?
  ) -> Schema.InputValue {
    Schema.InputValue(name: name, description: description, type: type, defaultValue: nil, deprecation: deprecation)
  }

  private func value(_ name: String, _ description: String) -> Schema.EnumValue {
    Schema.EnumValue(name: name, description: description, deprecation: nil)
  }

  private mutating func makeInput(_ place: Int, _ description: String, _ fields: [Schema.InputValue]) {
    schema.types[place].kind = .inputObject
    schema.types[place].description = description
    schema.types[place].inputs = fields
  }

  private mutating func makeEnum(_ place: Int, _ description: String, _ values: [Schema.EnumValue]) {
    schema.types[place].kind = .enumeration
    schema.types[place].description = description
    schema.types[place].values = values
  }

  private static func description(of access: AccessHint.Access) -> String {
    switch access {
    case .scan: "Reads every entity of the type."
    case .id: "Uses the primary key."
    case .index(let kind): "Uses a \(kind.facts.name) index."
    }
  }

  // MARK: - Filters

  private mutating func filterFields(of id: EntityTypeID, _ place: Int) -> [Schema.InputValue] {
    let itself = Schema.Reference.named(place)
    let connectives = ["and", "or", "not"]
    var fields: [Schema.InputValue] = []
    for property in catalog[id].properties
    where GraphQLName.isFree(property.name) && !connectives.contains(property.name) {
      // Variables of filters are bound without the versions of entities.
      if case .list(.entity(let target)) = property.signature.type, catalog[target].pastRole != nil { continue }
      guard let filter = filter(property.signature.type) else { continue }
      fields.append(input(property.name, filter, property.description, property.deprecation))
    }
    if catalog[id].pastRole != nil {
      // They have no times and no status of their own.
    } else if catalog[id].kind == .entity || catalog[id].kind == .interface {
      fields.append(argument("_createdAt", named(.scalarFilter(.dateTime)), "A condition on the time of creation."))
      fields.append(
        argument("_updatedAt", named(.scalarFilter(.dateTime)), "A condition on the time of the last change."))
      if let status = catalog.statusType {
        fields.append(
          argument("_status", named(.enumFilter(status)), "A condition on whether the entity exists or is deleted."))
      }
    }
    fields.append(argument("and", .list(.nonNull(itself)), "Matches if all of these conditions match."))
    fields.append(argument("or", .list(.nonNull(itself)), "Matches if at least one of these conditions matches."))
    fields.append(argument("not", itself, "Matches if this condition does not match."))
    addNullTest(&fields)
    return fields
  }

  private mutating func addNullTest(_ fields: inout [Schema.InputValue]) {
    // A field of this name comes first.
    guard !fields.contains(where: { $0.name == "isNull" }) else { return }
    fields.append(argument("isNull", reference("Boolean"), "Whether the value is null."))
  }

  /// The input type of a condition on values of a type.
  private mutating func filter(_ type: ValueType) -> Schema.Reference? {
    switch type {
    case .scalar(let scalar): return named(.scalarFilter(scalar))
    case .enumeration(let id): return isVisible(id) ? named(.enumFilter(id)) : nil
    case .embedded(let id): return isVisible(id) ? named(.embeddedFilter(id)) : nil
    case .entity(let id): return isVisible(id) ? named(.filter(id)) : nil
    case .list(.entity(let id)): return isVisible(id) ? named(.relationFilter(id)) : nil
    case .list(.scalar(let scalar)): return named(.scalarListFilter(scalar))
    case .list(.enumeration(let id)): return isVisible(id) ? named(.enumListFilter(id)) : nil
    case .list, .null: return nil
    }
  }

  private static func isOrdered(_ scalar: ScalarType) -> Bool {
    switch scalar {
    case .boolean, .json, .bytes, .cursor: false
    case .int, .float, .decimal, .string, .id, .dateTime, .date, .duration, .uuid: true
    }
  }

  private mutating func operators(
    _ type: Schema.Reference, isOrdered: Bool, isText: Bool, isJSON: Bool = false
  ) -> [Schema.InputValue] {
    var fields = [
      argument("eq", type, "Is equal to this value. Null is equal to null."),
      argument("ne", type, "Is not equal to this value."),
    ]
    if isOrdered {
      fields.append(argument("gt", type, "Is greater than this value."))
      fields.append(argument("gte", type, "Is greater than or equal to this value."))
      fields.append(argument("lt", type, "Is less than this value."))
      fields.append(argument("lte", type, "Is less than or equal to this value."))
    }
    if !isJSON {
      fields.append(argument("in", .list(type), "Is equal to one of these values."))
      fields.append(argument("notIn", .list(type), "Is equal to none of these values."))
    }
    if isText {
      let text = reference("String")
      fields.append(argument("contains", text, "Contains this text."))
      fields.append(argument("startsWith", text, "Begins with this text."))
      fields.append(argument("endsWith", text, "Ends with this text."))
      fields.append(
        argument("like", text, "Matches this pattern, in which '%' stands for any text and '_' for any character."))
      fields.append(argument("ilike", text, "Matches this pattern regardless of upper and lower case."))
      fields.append(argument("regex", text, "Contains a match of this regular expression."))
      if isSupported("fullTextSearch") {
        fields.append(argument("matches", text, "Contains the words of this search text."))
      }
    }
    fields.append(argument("isNull", reference("Boolean"), "Whether the value is null."))
    return fields
  }

  private mutating func listOperators(_ element: Schema.Reference) -> [Schema.InputValue] {
    [
      argument("eq", .list(element), "Has the same elements in the same order."),
      argument("ne", .list(element), "Is not equal to this list."),
      argument("contains", element, "Contains this element."),
      argument("isNull", reference("Boolean"), "Whether the value is null."),
    ]
  }

  // MARK: - Orders and keys

  private mutating func order(_ type: ValueType) -> Schema.Reference? {
    switch type {
    case .scalar: return named(.direction)
    case .enumeration(let id): return isVisible(id) ? named(.direction) : nil
    case .embedded(let id): return hasOrder(id) ? named(.embeddedOrder(id)) : nil
    case .entity(let id): return isVisible(id) && hasKeys(id) ? named(.order(id)) : nil
    case .list, .null: return nil
    }
  }

  /// Whether anything in an embedded type has an order; embedded types contain no circles.
  private func hasOrder(_ id: EmbeddedTypeID) -> Bool {
    isVisible(id)
      && catalog[id].fields.contains { field in
        guard GraphQLName.isFree(field.name) else { return false }
        switch field.signature.type {
        case .scalar: return true
        case .enumeration(let inner): return isVisible(inner)
        case .embedded(let inner): return hasOrder(inner)
        case .entity, .list, .null: return false
        }
      }
  }

  /// Whether `distinctOn` compares values of a type.
  private func isKey(_ type: ValueType) -> Bool {
    switch type {
    case .scalar, .enumeration, .entity: true
    case .list, .embedded, .null: false
    }
  }

  // MARK: - Inputs

  /// The type of a field of an input. Nothing is required, since an update names what it changes.
  private mutating func inputType(_ signature: TypeSignature) -> Schema.Reference? {
    switch signature.type {
    case .scalar, .enumeration:
      return output(TypeSignature(signature.type))
    case .embedded(let id): return isVisible(id) ? named(.embeddedInput(id)) : nil
    case .entity(let id) where catalog[id].isAbstract: return isVisible(id) ? reference("ID") : nil
    case .list(.entity(let id)) where catalog[id].isAbstract: return isVisible(id) ? named(.links(id)) : nil
    case .entity(let id): return isSaved(id) ? named(.input(id)) : nil
    case .list(.entity(let id)):
      if case .element(let embedded) = catalog[id].kind {
        return isVisible(id) ? .list(.nonNull(named(.embeddedInput(embedded)))) : nil
      }
      return isSaved(id) ? named(.links(id)) : nil
    case .list(let element):
      guard isPlain(element) else { return nil }
      return output(TypeSignature(signature.type, isElementNonNull: signature.isElementNonNull))
    case .null: return nil
    }
  }

  private func isSaved(_ id: EntityTypeID) -> Bool {
    catalog[id].kind == .entity && catalog[id].pastRole == nil && isVisible(id)
  }

  // MARK: - Roots

  private mutating func rootFields() -> [Schema.Field] {
    var fields: [Schema.Field] = []
    for type in catalog.types where !type.isElement && isVisible(type.id) {
      addRoot(type.rootMany, type.id, isList: true, to: &fields)
      addRoot(type.rootOne, type.id, isList: false, to: &fields)
    }
    for root in catalog.rootNames where isVisible(root.type) {
      addRoot(root.name, root.type, isList: root.isList, to: &fields)
    }
    // A root has a field, even of an empty schema.
    if fields.isEmpty {
      fields.append(
        Schema.Field(
          name: "_empty", description: "A placeholder, because the schema has no types.", arguments: [],
          type: reference("Boolean"), deprecation: nil))
    }
    return fields
  }

  private mutating func addRoot(_ name: String, _ id: EntityTypeID, isList: Bool, to fields: inout [Schema.Field]) {
    guard GraphQLName.isFree(name) else { return }
    let type = Schema.Reference.named(number(catalog[id].name))
    if isList {
      var arguments = setArguments(of: id)
      var description = "Returns the '\(catalog[id].name)' entities that match, or all of them."
      if catalog[id].pastRole == .change {
        description = "Returns what has changed of the types whose history is kept."
        arguments += [
          argument("from", reference("Int"), "The version that the changes lead from."),
          argument("to", reference("Int"), "The version that the changes lead to."),
          argument("types", .list(.nonNull(reference("String"))), "The types of the entities."),
        ]
      }
      fields.append(
        Schema.Field(
          name: name, description: description,
          arguments: arguments, type: .nonNull(.list(.nonNull(type))), deprecation: nil))
    } else if let arguments = keyArguments(of: id) {
      fields.append(
        Schema.Field(
          name: name, description: "Returns the '\(catalog[id].name)' with this key, or null.", arguments: arguments,
          type: type, deprecation: nil))
    }
  }

  private mutating func mutationFields() -> [Schema.Field] {
    var fields: [Schema.Field] = []
    for field in MutationField.all(of: catalog, commands: commands) where GraphQLName.isFree(field.name) {
      switch field.kind {
      case .change(_, let type):
        guard isVisible(type) else { continue }
        fields.append(
          Schema.Field(
            name: field.name, description: field.description,
            arguments: field.arguments.map {
              argument($0.name, argumentReference($0.type), $0.description, default: $0.defaultValue)
            }, type: reference(field.type), deprecation: nil))
      case .command(let index):
        if let command = commandField(commands[index]) { fields.append(command) }
      }
    }
    fields.append(
      Schema.Field(
        name: BoundUndo.field, description: "Takes the change of an earlier version back.",
        arguments: [
          argument("version", reference("Int!"), "The version that the change has made."),
          argument("only", named(.undoExtent), "The part that is taken back.", default: "ALL"),
        ], type: .nonNull(named(.undo)), deprecation: nil))
    return fields
  }

  /// A command of the embedding program; nil where GraphQL has no names for it.
  private mutating func commandField(_ command: CommandDescriptor) -> Schema.Field? {
    guard let result = output(command.result) else { return nil }
    var arguments: [Schema.InputValue] = []
    for parameter in command.arguments {
      guard GraphQLName.isFree(parameter.name), let type = inputType(parameter.signature) else { return nil }
      let isRequired = parameter.signature.isNonNull && parameter.defaultValue == nil
      arguments.append(input(parameter.name, isRequired ? .nonNull(type) : type, nil, nil))
    }
    return Schema.Field(
      name: command.name, description: nil, arguments: arguments, type: result, deprecation: nil)
  }
}
