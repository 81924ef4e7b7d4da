import GQLParser

/// Which language a text is in.
public enum QueryDialect: String, Sendable, Hashable, CaseIterable {
  /// GraphQL with gqlite's extensions.
  case extended
  /// GraphQL as its specification has it, every extension off.
  case graphql

  var dialect: Dialect { self == .graphql ? .graphql : .extended }
}
