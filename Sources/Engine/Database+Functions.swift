import GQLBase
import GQLBinder
import GQLCatalog
import GQLQuery

extension Database {
  /// Makes a function of the program callable in queries, by its name and with positional arguments.
  ///
  /// Queries that are prepared already see it too; one that was registered under the name before is replaced. The body
  /// is called from any thread that runs a query, several at once. What it throws ends the run with an error that names
  /// the call, the entity and the arguments; `try(…)` in the query gives null instead.
  ///
  /// ```swift
  /// try database.register(function: "vat", parameters: [.decimal, .float], returns: .float) { arguments in
  ///   .double((arguments[0].double ?? 0) * (arguments[1].double ?? 0))
  /// }
  /// let answer = try database.run("{ Product { gross := vat(price, 1.25) } }")
  /// ```
  ///
  /// - Parameters:
  ///   - name: a name of the language that is none of its own functions.
  ///   - parameters: what arguments are converted to, as for the language's own functions.
  ///   - result: what the result is converted to; another value is an error of the run.
  ///   - isDeterministic: whether equal arguments always give equal results, so that a call over constants is made once
  ///     for many entities.
  ///   - takesNulls: whether the body is called where an argument is null; otherwise the result is null there.
  /// - Throws: ``QueryError`` if the name or a type cannot be one, or within a transaction of the same thread.
  public func register(
    function name: String, parameters: [FunctionType], returns result: FunctionType, isDeterministic: Bool = true,
    takesNulls: Bool = false, _ body: @escaping @Sendable (_ arguments: [Value]) throws -> Value
  ) throws(QueryError) {
    guard !isBuiltInFunction(name) else {
      throw QueryError(
        code: BindingProblem.reservedFunction(name: name).code, "there is a function '\(name)' already", file: "")
    }
    guard GraphQLName.isValid(name) else {
      throw QueryError(
        code: DocumentProblem.functionName.code, "'\(name)' is no name of a function",
        help: "a letter or '_', then letters, digits and '_'", file: "")
    }
    guard !result.isNested, !parameters.contains(where: \.isNested) else {
      throw QueryError(
        code: DocumentProblem.functionName.code, "'\(name)' has a list of lists, which no function can", file: "")
    }
    let resultType = result.valueType
    let coercion = ValueCoercion(catalog: Catalog(), origin: .variable)
    let function = RegisteredFunction(
      name: name, parameters: parameters.map(\.valueType), result: resultType, isDeterministic: isDeterministic,
      takesNulls: takesNulls
    ) { (arguments: [GQLCatalog.Value]) throws(FunctionFailure) -> GQLCatalog.Value in
      let given: Value
      do {
        given = try body(arguments.map { Value($0) })
      } catch {
        throw FunctionFailure("\(error)")
      }
      if case .double(let number) = given, !number.isFinite { throw FunctionFailure("the result is \(number)") }
      switch coercion.coerce(RawValue(given.json), to: TypeSignature(resultType)) {
      case .success(let value): return value
      case .failure(let failure): throw FunctionFailure("wrong result: \(failure.problem.message)")
      }
    }
    try refuseNested()
    install(function)
  }

  /// Makes a Swift function callable in queries, its types taken from those of Swift: `Int`, `Int64`, `Double`,
  /// `String`, `Bool`, optionals and arrays of them. An optional parameter takes nulls; where another is null, the
  /// result is null and the body is not called.
  ///
  /// ```swift
  /// try database.register(function: "initial") { (name: String) in String(name.prefix(1)) }
  /// ```
  ///
  /// - Throws: ``QueryError`` if the name cannot be one.
  public func register<each Argument: FunctionValue, Result: FunctionValue>(
    function name: String, isDeterministic: Bool = true,
    _ body: @escaping @Sendable (repeat each Argument) throws -> Result
  ) throws(QueryError) {
    var parameters: [FunctionType] = []
    var takesNull: [Bool] = []
    for type in repeat (each Argument).self {
      parameters.append(type.functionType)
      takesNull.append(type.takesNull)
    }
    let nullable = takesNull
    try register(
      function: name, parameters: parameters, returns: Result.functionType, isDeterministic: isDeterministic,
      takesNulls: takesNull.contains(true)
    ) { (arguments: [Value]) throws -> Value in
      for (argument, takesNull) in zip(arguments, nullable) where !takesNull && argument == .null { return .null }
      var index = 0
      func next<T: FunctionValue>(_ type: T.Type) throws -> T {
        defer { index += 1 }
        guard index < arguments.count, let value = T(functionValue: arguments[index]) else {
          throw FunctionFailure("argument \(index + 1) is no \(T.self)")
        }
        return value
      }
      return try body(repeat next((each Argument).self)).functionValue
    }
  }
}

extension Value {
  /// A value of a registered function's parameter, as answers write it.
  init(_ value: GQLCatalog.Value) {
    switch value {
    case .null, .enumeration: self = .null
    case .boolean(let truth): self = .bool(truth)
    case .int(let number): self = .int(number)
    case .float(let number): self = .double(number)
    case .decimal(let number): self = .number(number.description)
    case .string(let text), .uuid(let text), .id(let text, _): self = .string(text.string)
    case .dateTime(let time): self = .quoted { $0.append(dateTime: time) }
    case .date(let day): self = .quoted { $0.append(date: day) }
    case .duration(let time): self = .duration(time)
    case .bytes(let text): self = .quoted { buffer in text.withUnsafeBytes { buffer.append(base64: $0) } }
    case .json(let text): self = (try? Value(json: Array(text.bytes))) ?? .null
    case .list(let elements): self = .list(elements.map { Value($0) })
    case .object(let members): self = .object(members.map { Member($0.name.string, Value($0.value)) })
    }
  }

  /// A `DateTime` by its microseconds since 1970; nil outside of the years that it has.
  static func dateTime(_ microseconds: Int64) -> Value? {
    // No `? :`, in which 'nil' would be a value, null.
    guard CivilTime.dateTimeRange.contains(microseconds) else { return nil }
    return quoted { $0.append(dateTime: microseconds) }
  }

  /// A `Duration` by its microseconds.
  static func duration(_ microseconds: Int64) -> Value { quoted { $0.append(duration: microseconds) } }

  /// The text that `fill` writes in quotes.
  private static func quoted(_ fill: (inout ByteBuffer) -> Void) -> Value {
    var buffer = ByteBuffer(capacity: 48)
    fill(&buffer)
    return .string(String(buffer.string.dropFirst().dropLast()))
  }
}
