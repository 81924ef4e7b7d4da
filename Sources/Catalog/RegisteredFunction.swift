/// A function that the embedding program gave: typed, callable from queries like those of the language.
package final class RegisteredFunction: Sendable, Hashable {
  package let name: String
  package let parameters: [ValueType]
  package let result: ValueType
  /// Whether equal arguments always give equal results, so that it may be called less often than it is written.
  package let isDeterministic: Bool
  /// Whether it is called where an argument is null; otherwise the result is null there.
  package let takesNulls: Bool
  /// Called from any thread, with values of the parameters' types; must give one of the result's type, or null.
  package let body: @Sendable ([Value]) throws(FunctionFailure) -> Value

  package init(
    name: String, parameters: [ValueType], result: ValueType, isDeterministic: Bool, takesNulls: Bool,
    body: @escaping @Sendable ([Value]) throws(FunctionFailure) -> Value
  ) {
    self.name = name
    self.parameters = parameters
    self.result = result
    self.isDeterministic = isDeterministic
    self.takesNulls = takesNulls
    self.body = body
  }

  package static func == (left: RegisteredFunction, right: RegisteredFunction) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What a registered function threw, in words.
package struct FunctionFailure: Error, Sendable, Hashable {
  package var message: String
  package init(_ message: String) { self.message = message }
}
