import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// Where a key component, a bound, a limit comes from.
enum ScalarSource {
  case constant(Cell)
  case null
  case parameter(Int)
  /// The vector with this number of the program beside.
  case computed(Int)
}

/// A few expressions over what encloses a set, most of them constants and parameters. Immutable; the constants'
/// memory is the executable's.
final class ScalarSources: @unchecked Sendable {
  let sources: [ScalarSource]
  let types: [ValueType]
  /// Where each of them is written.
  let ranges: [SourceRange]
  /// Evaluates those that are computed; nil if none is.
  let program: ExpressionProgram?

  init(_ expressions: [BoundExpression], _ compiler: PlanCompiler) {
    var computed: [BoundExpression] = []
    sources = expressions.map { expression in
      switch expression.kind {
      case .constant(let value):
        if let cell = compiler.constants.cell(value, expression.type) { return .constant(cell) }
        return .null
      case .parameter(let index): return .parameter(index)
      default:
        computed.append(expression)
        return .computed(computed.count - 1)
      }
    }
    types = expressions.map(\.type)
    ranges = expressions.map(\.range)
    program = computed.isEmpty ? nil : compiler.program(computed)
  }

  var count: Int { sources.count }

  /// The vectors for a batch; nil where nothing is computed.
  @inline(__always)
  func vectors(_ scopes: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> UnsafePointer<Vector>? {
    guard let program else { return nil }
    return try program.evaluate(scopes, execution)
  }

  /// The value for one element; nil for null.
  @inline(__always)
  func cell(_ index: Int, _ vectors: UnsafePointer<Vector>?, _ element: Int, _ execution: Execution) -> Cell? {
    switch sources[index] {
    case .constant(let cell): return cell
    case .null: return nil
    case .parameter(let parameter):
      return execution.parameterValid[parameter] ? execution.parameterCells[parameter] : nil
    case .computed(let number):
      guard let vectors, !vectors[number].isNull(element) else { return nil }
      return vectors[number].cell(element)
    }
  }
}
