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
    case .schema: "The API: its types, root types and directives."
    case .type: "A named type, or a list or the non-null form of another type, which 'ofType' returns."
    case .field: "A field of an object or an interface."
    case .inputValue: "An argument, or a field of an input object."
    case .enumValue: "A value of an enum."
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
        Definition(.description, "String", "The description of the schema."),
        Definition(.types, "[__Type!]!", .type, "All named types."),
        Definition(.queryType, "__Type!", .type, "The root type of queries."),
        Definition(.mutationType, "__Type", .type, "The root type of mutations, if there are any."),
        Definition(.subscriptionType, "__Type", .type, "The root type of subscriptions, if there are any."),
        Definition(.directives, "[__Directive!]!", .directive, "All directives."),
      ]
    case .type:
      [
        Definition(.kind, "__TypeKind!", "The kind of the type."),
        Definition(.name, "String", "The name. Null for lists and non-null forms."),
        Definition(.description, "String", "The description in the schema."),
        Definition(.specifiedByURL, "String", "The address of a scalar's specification."),
        Definition(.fields, "[__Field!]", .field, filters: true, "The fields of an object or an interface."),
        Definition(.interfaces, "[__Type!]", .type, "The interfaces that an object or an interface implements."),
        Definition(.possibleTypes, "[__Type!]", .type, "The object types of an interface or a union."),
        Definition(.enumValues, "[__EnumValue!]", .enumValue, filters: true, "The values of an enum."),
        Definition(.inputFields, "[__InputValue!]", .inputValue, filters: true, "The fields of an input object."),
        Definition(.ofType, "__Type", .type, "The inner type of a list or a non-null form."),
        Definition(.isOneOf, "Boolean", "Whether exactly one field of the input object is required."),
      ]
    case .field:
      [
        Definition(.name, "String!", "The name."),
        Definition(.description, "String", "The description in the schema."),
        Definition(.args, "[__InputValue!]!", .inputValue, filters: true, "The arguments."),
        Definition(.type, "__Type!", .type, "The type of the value."),
        Definition(.isDeprecated, "Boolean!", "Whether the element should no longer be used."),
        Definition(.deprecationReason, "String", "The reason for the deprecation."),
      ]
    case .inputValue:
      [
        Definition(.name, "String!", "The name."),
        Definition(.description, "String", "The description in the schema."),
        Definition(.type, "__Type!", .type, "The type of the value."),
        Definition(.defaultValue, "String", "The default value, as a document writes it."),
        Definition(.isDeprecated, "Boolean!", "Whether the element should no longer be used."),
        Definition(.deprecationReason, "String", "The reason for the deprecation."),
      ]
    case .enumValue:
      [
        Definition(.name, "String!", "The name."),
        Definition(.description, "String", "The description in the schema."),
        Definition(.isDeprecated, "Boolean!", "Whether the element should no longer be used."),
        Definition(.deprecationReason, "String", "The reason for the deprecation."),
      ]
    case .directive:
      [
        Definition(.name, "String!", "The name without the '@'."),
        Definition(.description, "String", "The effect of the directive."),
        Definition(.isRepeatable, "Boolean!", "Whether the directive may be repeated at one place."),
        Definition(.locations, "[__DirectiveLocation!]!", "The places where the directive may be used."),
        Definition(.args, "[__InputValue!]!", .inputValue, filters: true, "The arguments."),
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
