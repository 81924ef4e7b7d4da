/// The fields of the types of introspection; several types share some.
package enum MetaField: String, Sendable, Hashable, CaseIterable {
  case typename = "__typename"
  case description
  case types
  case queryType
  case mutationType
  case subscriptionType
  case directives
  case kind
  case name
  case specifiedByURL
  case fields
  case interfaces
  case possibleTypes
  case enumValues
  case inputFields
  case ofType
  case isOneOf
  case args
  case type
  case isDeprecated
  case deprecationReason
  case defaultValue
  case isRepeatable
  case locations
}
