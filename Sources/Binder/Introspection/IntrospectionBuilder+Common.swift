import GQLBase
import GQLCatalog
import GQLQuery

/// What every schema has: scalars, directives, the types of introspection.
extension IntrospectionBuilder {
  mutating func addScalar(_ scalar: ScalarType) {
    let place = number(scalar.rawValue)
    let (description, url) = Self.words(scalar)
    schema.types[place].kind = .scalar
    schema.types[place].description = description
    schema.types[place].specifiedByURL = url
  }

  private static func words(_ scalar: ScalarType) -> (String, String?) {
    switch scalar {
    case .int: ("A whole number of 64 bits.", nil)
    case .float: ("A finite number in double precision.", nil)
    case .decimal: ("An exact decimal number of up to 36 digits, written as a JSON number.", nil)
    case .string: ("A text. Texts are compared by their bytes.", nil)
    case .boolean: ("True or false.", nil)
    case .id: ("A key. It is compared as a text, and returned as the text or number that was given.", nil)
    case .dateTime:
      ("A time in UTC with microseconds, such as '2026-03-01T12:00:00Z'.", "https://www.rfc-editor.org/rfc/rfc3339")
    case .date: ("A day, such as '2026-03-01'.", "https://www.rfc-editor.org/rfc/rfc3339")
    case .duration: ("A length of time without months and years, such as 'P1DT2H30M'.", nil)
    case .uuid: ("A UUID in its canonical form.", "https://www.rfc-editor.org/rfc/rfc9562")
    case .bytes: ("Bytes in base64.", "https://www.rfc-editor.org/rfc/rfc4648")
    case .json: ("Any JSON value.", "https://www.rfc-editor.org/rfc/rfc8259")
    case .cursor: ("A position in a list. It is valid for the order in which it was made.", nil)
    }
  }

  // MARK: - Directives

  mutating func addDirectives() {
    let required = Schema.Reference.nonNull(reference("Boolean"))
    let selections = ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"]
    add(
      "skip", "Omits the selection if the condition is true.", selections,
      [argument("if", required, "The condition.")])
    add(
      "include", "Omits the selection unless the condition is true.", selections,
      [argument("if", required, "The condition.")])
    add(
      "deprecated", "Marks an element that should no longer be used.",
      ["FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INPUT_FIELD_DEFINITION", "ENUM_VALUE"],
      [
        argument(
          "reason", .nonNull(reference("String")), "The reason, and what to use instead.",
          default: "\"No longer supported\"")
      ])
    add(
      "specifiedBy", "Names the specification of a scalar.", ["SCALAR"],
      [argument("url", .nonNull(reference("String")), "The address of the specification.")])
    add("oneOf", "Requires exactly one field of an input object.", ["INPUT_OBJECT"], [])
    add(
      "using", "Requires an access path, and fails if it cannot be used.", ["FIELD"],
      [
        argument("access", .nonNull(named(.access)), "The access path."),
        argument("index", reference("String"), "The name of the index."),
      ])
    if isSupported("recurse") {
      add(
        "recurse", "Repeats the field at the end of its own selection, with the same arguments.", ["FIELD"],
        [
          argument(
            "depth", reference("Int"), "The number of repetitions. Without it, the field is repeated to the end.")
        ])
    }
    if isSupported("expand") {
      add(
        "expand", "Selects every relation, level by level.", ["FIELD"],
        [argument("levels", .list(.nonNull(named(.expandLevel))), "The form of the entities at each level.")])
    }
    add(
      "explain", "Returns the plan as lines of text instead of the answer.", operationPlaces,
      [
        argument("analyze", reference("Boolean"), "Also runs the query, and reports what happened."),
        argument("costs", reference("Boolean"), "Whether to show estimates and costs. The default is true."),
      ])
    add("transaction", "Applies all changes or none, which is also the default.", operationPlaces, [])
    add(
      "live", "Returns the answer again whenever it changes.", ["QUERY", "SUBSCRIPTION"],
      [
        argument("mode", named(.liveMode), "The form of the updates. The default is FULL."),
        argument("every", reference("Duration"), "The shortest time between two updates."),
        argument("tick", reference("Duration"), "The time after which 'now()' moves without a change."),
      ])
    add(
      "asOf", "Reads the data of an earlier version, where it is kept.", ["QUERY", "FIELD"],
      [
        argument("time", reference("DateTime"), "The time: the newest version that was committed then."),
        argument("version", reference("Int"), "The version of the data."),
      ])
  }

  private var operationPlaces: [String] {
    var places = ["QUERY"]
    if schema.mutationType != nil { places.append("MUTATION") }
    places.append("SUBSCRIPTION")
    return places
  }

  private mutating func add(
    _ name: String, _ description: String, _ locations: [String], _ arguments: [Schema.InputValue]
  ) {
    schema.directives.append(
      Schema.Directive(name: name, description: description, locations: locations, arguments: arguments))
  }

  // MARK: - Introspection itself

  mutating func addMetaTypes() {
    for type in MetaType.allCases {
      let place = number(type.rawValue)
      var fields: [Schema.Field] = []
      for definition in type.definitions {
        var arguments: [Schema.InputValue] = []
        if definition.filters {
          arguments = [
            argument(
              "includeDeprecated", .nonNull(reference("Boolean")), "Whether to include deprecated elements.",
              default: "false")
          ]
        }
        fields.append(
          Schema.Field(
            name: definition.field.rawValue, description: definition.description, arguments: arguments,
            type: reference(definition.type), deprecation: nil))
      }
      schema.types[place].kind = .object
      schema.types[place].description = type.description
      schema.types[place].fields = fields
    }
    let kinds = number("__TypeKind")
    schema.types[kinds].kind = .enumeration
    schema.types[kinds].description = "The kinds of types."
    schema.types[kinds].values = MetaType.typeKinds.map {
      Schema.EnumValue(name: $0.name, description: $0.description, deprecation: nil)
    }
    let locations = number("__DirectiveLocation")
    schema.types[locations].kind = .enumeration
    schema.types[locations].description = "The places where directives may be used."
    schema.types[locations].values = MetaType.directiveLocations.map {
      Schema.EnumValue(name: $0, description: nil, deprecation: nil)
    }
  }
}
