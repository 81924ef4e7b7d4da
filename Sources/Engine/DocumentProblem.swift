import GQLBase

/// What can be wrong with a document as a whole.
enum DocumentProblem: CaseIterable {
  /// `prepare("{ a }", operation: "B")`
  case unknownOperation
  /// `fragment F on User { id }` alone.
  case noOperation
  /// `query A { a } query B { b }` where one is wanted.
  case severalOperations
  /// `--format jsonl` for an answer that is more than one list.
  case needsOneList
  /// `register(function: "a b", …)`
  case functionName
  /// `database.limits.nesting = 1000`
  case wrongLimit
  /// `extend schema @data(from: "/etc/passwd")` under `--limits serve`
  case dataNotAllowed
  /// `database.run(text, variables: ["x": Double.nan])`
  case unencodableValue
  /// `mutation.live()`
  case notLive

  var code: DiagnosticCode {
    switch self {
    case .unknownOperation: "unknown-operation"
    case .noOperation: "no-operation"
    case .severalOperations: "several-operations"
    case .needsOneList: "needs-one-list"
    case .functionName: "function-name"
    case .wrongLimit: "wrong-limit"
    case .dataNotAllowed: "data-not-allowed"
    case .unencodableValue: "unencodable-value"
    case .notLive: "not-live"
    }
  }
}
