import GQLBase

/// What speaks against putting data under another schema.
enum EvolutionProblem: CaseIterable {
  /// A schema without a type that has entities.
  case dataLoss
  /// `name: String!` where an entity has no name.
  case dataConflict
  /// `name: String! @was(name: "title")` where the new schema has a `title` too.
  case renameConflict
  /// A number that belongs to another type or field.
  case numberConflict

  var code: DiagnosticCode {
    switch self {
    case .dataLoss: "data-loss"
    case .dataConflict: "data-conflict"
    case .renameConflict: "rename-conflict"
    case .numberConflict: "number-conflict"
    }
  }
}
