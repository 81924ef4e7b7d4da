import GQLBase
import GQLCatalog
import GQLQuery

/// A variable's value as it was provided.
package enum VariableInput: Sendable, Hashable {
  case json(JSONValue)
  case value(Value)
  case raw(RawValue)

  package var raw: RawValue {
    switch self {
    case .json(let json): RawValue(json)
    case .value(let value): RawValue(value)
    case .raw(let raw): raw
    }
  }
}

/// What can be wrong with the value of a variable.
package enum VariableProblem: Sendable, Equatable {
  /// `query($n: Int!)` without a value for `n`.
  case missing(name: String, expected: String)
  /// `query($ids: [ID!])` with `{"ids": ["1", null]}`; the path is `$ids[1]`.
  case wrong(path: String, problem: CoercionProblem)

  package static let codes: [DiagnosticCode] =
    [DiagnosticCode("missing-variable")] + CoercionProblem.codes

  package var code: DiagnosticCode {
    switch self {
    case .missing: DiagnosticCode("missing-variable")
    case .wrong(_, let problem): problem.code
    }
  }

  /// The range is the variable's declaration.
  package func diagnostic(at range: SourceRange) -> Diagnostic {
    switch self {
    case .missing(let name, let expected):
      Diagnostic(code, "the variable '$\(name)' was not provided, but must be \(expected)", at: range)
    case .wrong(let path, let problem):
      Diagnostic(code, "\(path): \(problem.message)", at: range, help: problem.help)
    }
  }
}

/// The values of a query's parameters, in their order, by GraphQL's rules for variables: defaults stand in for what
/// was not provided, one value becomes a list of one, null is an error for a non-null type.
///
/// An output is nil only where a diagnostic says why. What no parameter is called is ignored. `now` is what `now()`
/// gives, in microseconds since 1970.
package func coerceVariables(
  _ provided: [String: VariableInput], for parameters: [BoundParameter], catalog: Catalog, now: Int64 = 0,
  ints: ClosedRange<Int64> = Int64.min...Int64.max
) -> Analyzed<[Value?]> {
  let coercion = ValueCoercion(catalog: catalog, origin: .variable, ints: ints)
  var values: [Value?] = []
  var diagnostics: [Diagnostic] = []
  for parameter in parameters {
    switch parameter.source {
    case .variable: break
    case .now:
      values.append(.dateTime(now))
      continue
    case .folded(let index):
      values.append(values[index].map(caseFolded))
      continue
    case .input: break
    case .newRow:
      values.append(.null)
      continue
    }
    guard let input = provided[parameter.name] else {
      if let value = parameter.defaultValue {
        values.append(value)
      } else if parameter.signature.isNonNull {
        let problem = VariableProblem.missing(
          name: parameter.name, expected: catalog.words(for: parameter.signature.type))
        diagnostics.append(problem.diagnostic(at: parameter.range))
        values.append(nil)
      } else {
        values.append(.null)
      }
      continue
    }
    let outcome =
      parameter.source == .input
      ? InputCoercion(catalog: catalog, origin: .variable, ints: ints).coerce(input.raw, to: parameter.signature)
      : coercion.coerce(input.raw, to: parameter.signature)
    switch outcome {
    case .success(let value): values.append(value)
    case .failure(let failure):
      let path = ValuePathStep.text(of: parameter.name, failure.path)
      diagnostics.append(VariableProblem.wrong(path: path, problem: failure.problem).diagnostic(at: parameter.range))
      values.append(nil)
    }
  }
  return Analyzed(values, diagnostics)
}

/// A list of texts, each case-folded.
private func caseFolded(_ value: Value) -> Value {
  switch value {
  case .string(let text), .id(let text, _), .uuid(let text): .string(CaseFolding.fold(text))
  case .list(let elements): .list(elements.map(caseFolded))
  default: value
  }
}
