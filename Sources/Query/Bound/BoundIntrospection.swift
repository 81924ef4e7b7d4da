/// A `__schema` or `__type` field: what is told of which part of the schema.
package struct BoundIntrospection: Sendable, Equatable {
  package enum Root: Sendable, Equatable {
    case schema
    /// The named type, or null; the number of an input, a String.
    case type(Int)
  }

  /// One response key. Fields with equal keys are already merged.
  package struct Field: Sendable, Equatable {
    package var key: String
    package var field: MetaField
    /// The number of an input; the field is left out where it is not true.
    package var condition: Int?
    /// The number of an input, `includeDeprecated:`; nil means false.
    package var includesDeprecated: Int?
    package var fields: [Field]

    package init(
      key: String, field: MetaField, condition: Int? = nil, includesDeprecated: Int? = nil, fields: [Field]
    ) {
      self.key = key
      self.field = field
      self.condition = condition
      self.includesDeprecated = includesDeprecated
      self.fields = fields
    }
  }

  package var root: Root
  package var fields: [Field]
  /// Expressions over parameters; the fields refer to them by number.
  package var inputs: [BoundExpression]
  package var schema: IntrospectionSchema

  package init(root: Root, fields: [Field], inputs: [BoundExpression], schema: IntrospectionSchema) {
    self.root = root
    self.fields = fields
    self.inputs = inputs
    self.schema = schema
  }
}
