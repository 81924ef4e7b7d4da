import GQLParser

/// A language that a text is in.
public enum QueryDialect: String, Sendable, Hashable, CaseIterable {
  /// GraphQL with gqlite's extensions.
  case extended
  /// GraphQL as its specification has it, every extension off.
  case graphql
  /// The same, and an Int has the 32 bits that GraphQL gives it: in documents, in variables, and in answers.
  case graphqlStrict = "graphql-strict"

  var dialect: Dialect { self == .extended ? .extended : .graphql }
}
