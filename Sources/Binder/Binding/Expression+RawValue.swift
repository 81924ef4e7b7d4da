import GQLBase
import GQLCatalog
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

extension Expression {
  /// What a document would write for a value, at one place. Where the caller does not wait any longer the rest is null,
  /// and whoever binds it looks at the time too.
  ///
  /// With a catalog, enum values that have their type are written with it, as `Status.ACTIVE`, which means the same
  /// everywhere.
  init(
    structural value: RawValue, at range: SourceRange, _ interruption: Interruption? = nil,
    enumsOf catalog: Catalog? = nil
  ) {
    var writer = RawValueWriter(range: range, interruption: interruption, catalog: catalog)
    self = writer.expression(value)
  }

  /// The same of a value that has a type.
  init(structural value: Value, at range: SourceRange) { self.init(structural: RawValue(value), at: range) }
}

/// Writes a variable's value as an expression; it may have a million parts.
private struct RawValueWriter {
  let range: SourceRange
  let interruption: Interruption?
  let catalog: Catalog?
  private var parts = 0
  private var isDue = false

  init(range: SourceRange, interruption: Interruption?, catalog: Catalog?) {
    self.range = range
    self.interruption = interruption
    self.catalog = catalog
  }

  mutating func expression(_ raw: RawValue) -> Expression {
    parts &+= 1
    if parts & 0xFFF == 0, interruption?.diagnostic(at: range) != nil { isDue = true }
    return Expression(isDue ? .null : kind(raw), at: range)
  }

  private mutating func kind(_ raw: RawValue) -> Expression.Kind {
    switch raw {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let digits): return .int(digits)
    case .real(let digits): return .float(digits)
    case .text(let text): return string(text.string)
    case .name(let name): return .name(Name(name, at: range))
    case .list(let elements):
      var written: [Expression] = []
      written.reserveCapacity(elements.count)
      for element in elements { written.append(expression(element)) }
      return .list(written)
    case .object(let members):
      return .object(
        members.map { ObjectField(name: Name($0.name, at: range), value: expression($0.value), range: range) })
    case .typed(.id(let text, _)): return string(text.string)
    case .typed(.enumeration(let id, let code)) where catalog != nil:
      guard let type = catalog?[id], type.values.indices.contains(code) else { return .null }
      return .member(Expression(.name(Name(type.name, at: range)), at: range), Name(type.values[code], at: range), nil)
    case .typed:
      var buffer = ByteBuffer()
      raw.json(into: &buffer)
      let json = buffer.string
      return json.hasPrefix("\"") && json.utf8.count >= 2 ? string(String(json.dropFirst().dropLast())) : .float(json)
    }
  }

  private func string(_ text: String) -> Expression.Kind {
    .string(StringLiteral(value: text, isBlock: false, range: range))
  }
}
