/// The values of the variables that decide what a query is: by them its bound form is kept.
struct StructuralShape: Sendable, Equatable {
  private let values: [Value?]
  /// Whether the values are few enough to keep what is bound with them: a filter of half a million ids comes once.
  let isWorthKeeping: Bool

  private static let keptParts = 4096

  init(_ variables: [String: Value], of names: [String]) {
    var rest = Self.keptParts
    values = names.map { variables[$0] }
    isWorthKeeping = values.allSatisfy { $0.map { Self.isSmall($0, &rest) } ?? true }
  }

  private static func isSmall(_ value: Value, _ rest: inout Int) -> Bool {
    rest -= 1
    switch value {
    case .list(let elements):
      if elements.count > rest { return false }
      for element in elements where !isSmall(element, &rest) { return false }
    case .object(let members):
      for member in members where !isSmall(member.value, &rest) { return false }
    case .string(let text): rest -= text.utf8.count / 64
    case .null, .bool, .int, .double, .number: break
    }
    return rest > 0
  }
}
