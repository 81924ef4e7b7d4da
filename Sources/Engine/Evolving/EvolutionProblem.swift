import GQLBase

/// What speaks against putting data under another schema.
enum EvolutionProblem: CaseIterable {
  /// A schema without a type that has entities.
  case dataLoss
  /// `name: String!` where an entity has no name.
  case dataConflict

  var code: DiagnosticCode {
    switch self {
    case .dataLoss: "data-loss"
    case .dataConflict: "data-conflict"
    }
  }
}
