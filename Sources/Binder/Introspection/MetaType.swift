import GQLQuery

/// The object types of introspection itself.
package enum MetaType: String, Sendable, Hashable, CaseIterable {
  case schema = "__Schema"
  case type = "__Type"
  case field = "__Field"
  case inputValue = "__InputValue"
  case enumValue = "__EnumValue"
  case directive = "__Directive"

  /// A field, as the binder checks it and as introspection shows it.
  struct Definition {
    var field: MetaField
    /// In SDL.
    var type: String
    /// What a selection below it selects from.
    var inner: MetaType?
    /// Whether it takes `includeDeprecated:`.
    var filters = false
    var description: String

    init(_ field: MetaField, _ type: String, _ description: String) {
      self.field = field
      self.type = type
      self.description = description
    }

    init(_ field: MetaField, _ type: String, _ inner: MetaType, filters: Bool = false, _ description: String) {
      self.field = field
      self.type = type
      self.inner = inner
      self.filters = filters
      self.description = description
    }
  }

  var description: String {
    switch self {
    case .schema: "What can be asked: all types, the root types and the directives."
    case .type: "A type: a named one, or a list or the non-null form of another, which 'ofType' gives."
    case .field: "A field of an object or an interface."
    case .inputValue: "An argument, or a field of an input object."
    case .enumValue: "One value of an enum."
    case .directive: "A directive that documents may use."
    }
  }

  func definition(named name: String) -> Definition? {
    definitions.first { $0.field.rawValue.utf8.elementsEqual(name.utf8) }
  }

  var definitions: [Definition] {
    switch self {
    case .schema:
      [
        Definition(.description, "String", "What the schema says of itself."),
        Definition(.types, "[__Type!]!", .type, "Every named type."),
        Definition(.queryType, "__Type!", .type, "The type of queries."),
        Definition(.mutationType, "__Type", .type, "The type of mutations, if there are any."),
        Definition(.subscriptionType, "__Type", .type, "The type of subscriptions, if there are any."),
        Definition(.directives, "[__Directive!]!", .directive, "Every directive."),
      ]
    case .type:
      [
        Definition(.kind, "__TypeKind!", "What sort of type it is."),
        Definition(.name, "String", "Null for lists and non-null forms."),
        Definition(.description, "String", "What the schema says of it."),
        Definition(.specifiedByURL, "String", "Of a scalar: where its form is specified."),
        Definition(.fields, "[__Field!]", .field, filters: true, "Of objects and interfaces."),
        Definition(.interfaces, "[__Type!]", .type, "Of objects and interfaces: what they implement."),
        Definition(.possibleTypes, "[__Type!]", .type, "Of interfaces and unions: the objects that they can be."),
        Definition(.enumValues, "[__EnumValue!]", .enumValue, filters: true, "Of enums."),
        Definition(.inputFields, "[__InputValue!]", .inputValue, filters: true, "Of input objects."),
        Definition(.ofType, "__Type", .type, "Of lists and non-null forms: the type inside."),
        Definition(.isOneOf, "Boolean", "Of input objects: whether exactly one field must be given."),
      ]
    case .field:
      [
        Definition(.name, "String!", "Its name."),
        Definition(.description, "String", "What the schema says of it."),
        Definition(.args, "[__InputValue!]!", .inputValue, filters: true, "Its arguments."),
        Definition(.type, "__Type!", .type, "The type of its value."),
        Definition(.isDeprecated, "Boolean!", "Whether it should no longer be used."),
        Definition(.deprecationReason, "String", "Why it should no longer be used."),
      ]
    case .inputValue:
      [
        Definition(.name, "String!", "Its name."),
        Definition(.description, "String", "What the schema says of it."),
        Definition(.type, "__Type!", .type, "The type that it takes."),
        Definition(.defaultValue, "String", "What stands for it where it is left out, as a document writes it."),
        Definition(.isDeprecated, "Boolean!", "Whether it should no longer be used."),
        Definition(.deprecationReason, "String", "Why it should no longer be used."),
      ]
    case .enumValue:
      [
        Definition(.name, "String!", "Its name."),
        Definition(.description, "String", "What the schema says of it."),
        Definition(.isDeprecated, "Boolean!", "Whether it should no longer be used."),
        Definition(.deprecationReason, "String", "Why it should no longer be used."),
      ]
    case .directive:
      [
        Definition(.name, "String!", "Its name, without the '@'."),
        Definition(.description, "String", "What it does."),
        Definition(.isRepeatable, "Boolean!", "Whether it may stand several times at one place."),
        Definition(.locations, "[__DirectiveLocation!]!", "Where it may stand."),
        Definition(.args, "[__InputValue!]!", .inputValue, filters: true, "Its arguments."),
      ]
    }
  }

  static let typeKinds: [(name: String, description: String)] = [
    ("SCALAR", "A value without parts."), ("OBJECT", "An object with fields."),
    ("INTERFACE", "Fields that several objects have."), ("UNION", "One of several objects."),
    ("ENUM", "One of several names."), ("INPUT_OBJECT", "An object that arguments take."),
    ("LIST", "A list of another type."), ("NON_NULL", "Another type without null."),
  ]

  static let directiveLocations = [
    "QUERY", "MUTATION", "SUBSCRIPTION", "FIELD", "FRAGMENT_DEFINITION", "FRAGMENT_SPREAD", "INLINE_FRAGMENT",
    "VARIABLE_DEFINITION", "SCHEMA", "SCALAR", "OBJECT", "FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INTERFACE",
    "UNION", "ENUM", "ENUM_VALUE", "INPUT_OBJECT", "INPUT_FIELD_DEFINITION",
  ]
}
