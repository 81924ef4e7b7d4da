/// Which language a text is written in.
package enum Dialect: String, Sendable, CaseIterable {
  /// GraphQL as its specification of September 2025 has it; every extension is an error.
  case graphql
  /// GraphQL and gqlite's extensions.
  case extended
}
