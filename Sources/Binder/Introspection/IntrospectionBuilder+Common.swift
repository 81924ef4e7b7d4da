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
    case .float: ("A number in double precision; never infinite.", nil)
    case .decimal: ("An exact decimal number of up to 36 digits, written as a number.", nil)
    case .string: ("A text, compared by its bytes.", nil)
    case .boolean: ("true or false.", nil)
    case .id: ("A key, compared as a text; written as it was given, a text or a number.", nil)
    case .dateTime:
      ("A moment: '2026-03-01T12:00:00Z', to the microsecond, in UTC.", "https://www.rfc-editor.org/rfc/rfc3339")
    case .date: ("A day: '2026-03-01'.", "https://www.rfc-editor.org/rfc/rfc3339")
    case .duration: ("A length of time without months and years: 'P1DT2H30M'.", nil)
    case .uuid: ("A UUID in its canonical form.", "https://www.rfc-editor.org/rfc/rfc9562")
    case .bytes: ("Bytes, in base64.", "https://www.rfc-editor.org/rfc/rfc4648")
    case .json: ("Any JSON value.", "https://www.rfc-editor.org/rfc/rfc8259")
    case .cursor: ("A place in a list; good for the order that it was made in.", nil)
    }
  }

  // MARK: - Directives

  mutating func addDirectives() {
    let required = Schema.Reference.nonNull(reference("Boolean"))
    let selections = ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"]
    add(
      "skip", "Leaves the selection out where the condition is true.", selections,
      [argument("if", required, "The condition.")])
    add(
      "include", "Leaves the selection out where the condition is not true.", selections,
      [argument("if", required, "The condition.")])
    add(
      "deprecated", "Says that something should no longer be used.",
      ["FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INPUT_FIELD_DEFINITION", "ENUM_VALUE"],
      [
        argument(
          "reason", .nonNull(reference("String")), "Why, and what to use instead.",
          default: "\"No longer supported\"")
      ])
    add(
      "specifiedBy", "Says where the form of a scalar is specified.", ["SCALAR"],
      [argument("url", .nonNull(reference("String")), "The address of the specification.")])
    add("oneOf", "Says that exactly one field of an input object must be given.", ["INPUT_OBJECT"], [])
    add(
      "using", "Demands a way of finding the entities, or fails.", ["FIELD"],
      [
        argument("access", .nonNull(named(.access)), "The way."),
        argument("index", reference("String"), "The name of the index."),
      ])
    if isSupported("recurse") {
      add(
        "recurse", "Puts the field itself, with the same arguments, last in its own selection.", ["FIELD"],
        [argument("depth", reference("Int"), "How many times; to the end where it is left out.")])
    }
    if isSupported("expand") {
      add(
        "expand", "Selects every relation, level by level.", ["FIELD"],
        [argument("levels", .list(.nonNull(named(.expandLevel))), "What becomes of each level.")])
    }
    add(
      "explain", "Answers with the plan, as lines of text.", operationPlaces,
      [
        argument("analyze", reference("Boolean"), "Runs a query, too, and tells what happened."),
        argument("costs", reference("Boolean"), "Whether estimates and costs are shown, as without it."),
      ])
    add("transaction", "All takes effect, or nothing: so it is without it, too.", operationPlaces, [])
    if isSupported("directive") {
      add(
        "live", "Answers again whenever the answer changes.", operationPlaces,
        [argument("mode", named(.liveMode), "What is told of a change.")])
      add(
        "asOf", "Reads the past, where it is kept.", operationPlaces,
        [
          argument("time", reference("DateTime"), "The moment."),
          argument("version", reference("Int"), "The version of the data."),
        ])
    }
  }

  private var operationPlaces: [String] {
    var places = ["QUERY"]
    if schema.mutationType != nil { places.append("MUTATION") }
    if isSupported("subscription") { places.append("SUBSCRIPTION") }
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
              "includeDeprecated", .nonNull(reference("Boolean")), "Whether deprecated ones are among them.",
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
    schema.types[kinds].description = "The sorts of types."
    schema.types[kinds].values = MetaType.typeKinds.map {
      Schema.EnumValue(name: $0.name, description: $0.description, deprecation: nil)
    }
    let locations = number("__DirectiveLocation")
    schema.types[locations].kind = .enumeration
    schema.types[locations].description = "Where directives may stand."
    schema.types[locations].values = MetaType.directiveLocations.map {
      Schema.EnumValue(name: $0, description: nil, deprecation: nil)
    }
  }
}
