/// The schema that GraphQL clients see, as `__schema` tells it: an immutable graph of types by number.
package struct IntrospectionSchema: Sendable, Equatable {
  /// What `__Type.kind` says of a named type.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case scalar = "SCALAR"
    case object = "OBJECT"
    case interface = "INTERFACE"
    case union = "UNION"
    case enumeration = "ENUM"
    case inputObject = "INPUT_OBJECT"
  }

  /// A type as a field says it; names are numbers of ``types``.
  package indirect enum Reference: Sendable, Equatable {
    case named(Int)
    case list(Reference)
    case nonNull(Reference)
  }

  /// An argument, or a field of an input object.
  package struct InputValue: Sendable, Equatable {
    package var name: String
    package var description: String?
    package var type: Reference
    /// As a document writes it.
    package var defaultValue: String?
    /// The reason, where it is deprecated.
    package var deprecation: String?

    package init(
      name: String, description: String? = nil, type: Reference, defaultValue: String? = nil, deprecation: String? = nil
    ) {
      self.name = name
      self.description = description
      self.type = type
      self.defaultValue = defaultValue
      self.deprecation = deprecation
    }
  }

  /// A field of an object or an interface.
  package struct Field: Sendable, Equatable {
    package var name: String
    package var description: String?
    package var arguments: [InputValue]
    package var type: Reference
    package var deprecation: String?

    package init(
      name: String, description: String? = nil, arguments: [InputValue], type: Reference, deprecation: String? = nil
    ) {
      self.name = name
      self.description = description
      self.arguments = arguments
      self.type = type
      self.deprecation = deprecation
    }
  }

  /// A value of an enum.
  package struct EnumValue: Sendable, Equatable {
    package var name: String
    package var description: String?
    package var deprecation: String?

    package init(name: String, description: String? = nil, deprecation: String? = nil) {
      self.name = name
      self.description = description
      self.deprecation = deprecation
    }
  }

  /// A type that has a name; lists and non-null forms are ``Reference``s.
  package struct NamedType: Sendable, Equatable {
    package var name: String
    package var kind: Kind
    package var description: String?
    package var specifiedByURL: String?
    /// Of objects and interfaces.
    package var fields: [Field] = []
    /// Of objects and interfaces: the interfaces that it implements.
    package var interfaces: [Int] = []
    /// Of interfaces and unions.
    package var possibleTypes: [Int] = []
    package var values: [EnumValue] = []
    /// Of input objects.
    package var inputs: [InputValue] = []

    package init(
      name: String, kind: Kind, description: String? = nil, specifiedByURL: String? = nil, fields: [Field] = [],
      interfaces: [Int] = [], possibleTypes: [Int] = [], values: [EnumValue] = [], inputs: [InputValue] = []
    ) {
      self.name = name
      self.kind = kind
      self.description = description
      self.specifiedByURL = specifiedByURL
      self.fields = fields
      self.interfaces = interfaces
      self.possibleTypes = possibleTypes
      self.values = values
      self.inputs = inputs
    }
  }

  /// A directive, with where it may stand.
  package struct Directive: Sendable, Equatable {
    package var name: String
    package var description: String?
    package var isRepeatable = false
    package var locations: [String]
    package var arguments: [InputValue]

    package init(
      name: String, description: String? = nil, isRepeatable: Bool = false, locations: [String], arguments: [InputValue]
    ) {
      self.name = name
      self.description = description
      self.isRepeatable = isRepeatable
      self.locations = locations
      self.arguments = arguments
    }
  }

  package var types: [NamedType] = []
  package var queryType = 0
  package var mutationType: Int?
  package var subscriptionType: Int?
  package var directives: [Directive] = []
  /// The numbers of the types by name.
  package var numbers: [String: Int] = [:]

  package init() {}
}
