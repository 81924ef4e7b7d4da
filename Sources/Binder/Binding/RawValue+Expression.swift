import GQLBase
import GQLParser
import GQLQuery

extension RawValue {
  /// The constant that an expression of a document writes; nil where it is no constant.
  package init?(_ expression: Expression) {
    switch expression.kind {
    case .int(let digits): self = .integer(digits)
    case .float(let digits): self = .real(digits)
    case .string(let literal): self = .text(Text(literal.value))
    case .boolean(let value): self = .boolean(value)
    case .null: self = .null
    case .name(let name): self = .name(name.text)
    case .parenthesized(let inner):
      guard let value = RawValue(inner) else { return nil }
      self = value
    case .list(let elements):
      var values: [RawValue] = []
      for element in elements {
        guard let value = RawValue(element) else { return nil }
        values.append(value)
      }
      self = .list(values)
    case .object(let fields):
      var members: [Member] = []
      for field in fields {
        guard let value = RawValue(field.value) else { return nil }
        members.append(Member(name: field.name.text, value: value))
      }
      self = .object(members)
    default: return nil
    }
  }
}
