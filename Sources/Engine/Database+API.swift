import GQLBase
import GQLBinder
import GQLQuery

extension Database {
  /// The schema that GraphQL clients see, as SDL: root fields with their arguments, the input types that these take,
  /// and mutations. ``schema`` is what the data is stored by.
  public var apiSchema: String { printAPI(introspected) }

  private var introspected: IntrospectionSchema {
    let catalog = catalog
    return IntrospectionSchema(catalog, commands: commandDescriptors(catalog))
  }

  /// Returns the answer to the introspection query of GraphQL clients, for the whole schema.
  ///
  /// - Throws: ``QueryError`` if types are nested more deeply than documents may be.
  package func introspection() throws(QueryError) -> Answer {
    let text = IntrospectionSchema.introspectionQuery(wrappings: introspected.mostWrappings)
    let document = try QueryDocument(name: "introspection", bytes: Array(text.utf8), dialect: .graphql)
    var answer = Answer(utf8: [])
    for query in try prepareAll(document) { answer = try query.run() }
    return answer
  }
}

extension IntrospectionSchema {
  /// The query for everything, with as many `ofType` inside each other as types have lists and non-null forms.
  fileprivate static func introspectionQuery(wrappings: Int) -> String {
    let reference =
      String(repeating: "kind name ofType { ", count: wrappings) + "kind name"
      + String(repeating: " }", count: wrappings)
    return """
      query Introspection {
        __schema {
          description
          queryType { name }
          mutationType { name }
          subscriptionType { name }
          types { ...Type }
          directives { name description isRepeatable locations args(includeDeprecated: true) { ...Input } }
        }
      }
      fragment Type on __Type {
        kind name description specifiedByURL isOneOf
        fields(includeDeprecated: true) {
          name description args(includeDeprecated: true) { ...Input } type { ...Reference } isDeprecated deprecationReason
        }
        inputFields(includeDeprecated: true) { ...Input }
        interfaces { ...Reference }
        enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
        possibleTypes { ...Reference }
      }
      fragment Input on __InputValue {
        name description type { ...Reference } defaultValue isDeprecated deprecationReason
      }
      fragment Reference on __Type { \(reference) }
      """
  }

  /// How many lists and non-null forms the type of a field or an argument is at most inside of.
  fileprivate var mostWrappings: Int {
    var most = 0
    for type in types {
      for field in type.fields {
        most = max(most, field.type.wrappings)
        for argument in field.arguments { most = max(most, argument.type.wrappings) }
      }
      for input in type.inputs { most = max(most, input.type.wrappings) }
    }
    for directive in directives {
      for argument in directive.arguments { most = max(most, argument.type.wrappings) }
    }
    return most
  }
}

extension IntrospectionSchema.Reference {
  fileprivate var wrappings: Int {
    switch self {
    case .named: 0
    case .list(let inner), .nonNull(let inner): inner.wrappings + 1
    }
  }
}
