import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery
import GQLRegex

/// What binding depends on besides the document and the catalog.
package struct BindingOptions: Sendable, Hashable {
  package struct Limits: Sendable, Hashable {
    /// Selections and expressions after fragments and `let`s are expanded.
    package var nodes = 100_000
    /// Response keys in one object.
    package var fields = 10_000
    /// Expressions and selections inside each other, which bounds the recursion of everything behind.
    package var depth = 250
    /// Problems reported for one document.
    package var diagnostics = 100
    /// What literal patterns are checked with.
    package var patterns = PatternLimits.standard
    package init() {}
  }

  package var dialect: Dialect
  /// The values of the parameters that ``BoundQuery/structuralParameters`` names, where provided.
  package var structuralValues: [String: RawValue]
  /// Whether ``structuralValues`` are those of a run; before, what is not there is not known.
  package var knowsValues = false
  package var limits: Limits
  /// The Ints that documents, variables and answers may have.
  package var ints = Int64.min...Int64.max
  /// What may end binding before its end.
  package var interruption: Interruption?
  /// Mutation fields that the embedding program runs.
  package var commands: [CommandDescriptor] = []

  package init(dialect: Dialect = .extended, structuralValues: [String: RawValue] = [:], limits: Limits = Limits()) {
    self.dialect = dialect
    self.structuralValues = structuralValues
    self.limits = limits
  }
}
