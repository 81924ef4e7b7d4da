import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Hints for operands, conditions and `let`s that are not taken as they stand: they say how it is written.
struct ExpressionRemedies {
  let binder: Binder

  // MARK: Operators

  /// `born > 1990-10-12`, which is a difference, and `address == "Paris"`.
  func comparing(
    _ left: Operand, _ right: Operand, _ leftExpression: Expression, _ op: ComparisonOperator,
    _ rightExpression: Expression
  ) -> (remedy: Remedy, range: SourceRange)? {
    guard binder.computedRange == nil else { return nil }
    let range = leftExpression.range.union(rightExpression.range)
    if op == .equal || op == .notEqual, case .list = right, let type = binder.staticType(left),
      binder.isOrdered(type), type != .json
    {
      let (subject, list) = (binder.shown(leftExpression), binder.shown(rightExpression))
      return (binder.replacing(range, "\(subject) \(op == .equal ? "in" : "not in") \(list)"), range)
    }
    if [.date, .dateTime].contains(binder.staticType(left)?.scalar), let date = Self.date(rightExpression) {
      return (.write("\"\(date)\"", over: rightExpression.range), rightExpression.range)
    }
    if case .embedded(let value) = left, case .literal(.text, _) = right {
      let fields = binder.catalog[value.type].fields
      guard let field = fields.first(where: { $0.signature.type == .scalar(.string) }) else { return nil }
      let text = "\(binder.shown(leftExpression)).\(field.name) \(op.rawValue) \(binder.shown(rightExpression))"
      let others = fields.count > 1 ? ", or another of its fields" : ""
      return (Remedy(help: "write '\(text)'\(others)", edits: [.init(range, text)]), range)
    }
    // The day of a DateTime beside a Date.
    let isLeftMoment = binder.staticType(left) == .scalar(.dateTime)
    guard binder.staticType(isLeftMoment ? right : left) == .scalar(.date),
      isLeftMoment || binder.staticType(right) == .scalar(.dateTime)
    else { return nil }
    let (first, second) = (binder.shown(leftExpression), binder.shown(rightExpression))
    let text = isLeftMoment ? "date(\(first)) \(op.rawValue) \(second)" : "\(first) \(op.rawValue) date(\(second))"
    return (binder.replacing(range, text), range)
  }

  /// The date that a difference of three numbers looks like.
  private static func date(_ expression: Expression) -> String? {
    guard expression.range.count == 10, case .binary(.subtract, let first, let day) = expression.kind,
      case .binary(.subtract, let year, let month) = first.kind, case .int(let y) = year.kind,
      case .int(let m) = month.kind, case .int(let d) = day.kind, y.utf8.count == 4, m.utf8.count == 2,
      d.utf8.count == 2
    else { return nil }
    return "\(y)-\(m)-\(d)"
  }

  /// A text that is added to a number or a time, or one of these to a text; nil for everything else.
  @inline(never)
  func adding(
    _ left: Expression, _ leftOperand: Operand, _ right: Expression, _ rightOperand: Operand, at range: SourceRange
  ) -> Remedy? {
    let isLeftText = Self.isText(leftOperand, beside: rightOperand)
    guard isLeftText || Self.isText(rightOperand, beside: leftOperand) else { return nil }
    let (text, other) = isLeftText ? (left, right) : (right, left)
    guard let text = binder.repeated(text), let other = binder.repeated(other.unparenthesized) else { return nil }
    return .write(isLeftText ? "\(text) + string(\(other))" : "string(\(other)) + \(text)", over: range)
  }

  /// Tells whether an operand is a text that is meant as one beside a number or a time. A written text with a digit, or
  /// one that begins with `P`, may be a time or a Duration.
  private static func isText(_ operand: Operand, beside other: Operand) -> Bool {
    guard case .value(let value) = other else { return false }
    let isTime = [.dateTime, .date, .duration].contains(value.type.scalar)
    guard isTime || value.type.isNumeric else { return false }
    switch operand {
    case .value(let text): return text.type == .scalar(.string)
    case .literal(.text(let text), _):
      return !isTime || !text.bytes.prefix(2).contains(0x50) && !text.bytes.contains { $0 &- 0x30 < 10 }
    default: return false
    }
  }

  // MARK: Conditions

  /// Reports many where a condition, or a value beside null, stands: what is meant is whether there are some.
  func reportMany(_ path: PluralPath, _ written: Expression?, isAbsent: Bool = false) {
    let negation = isAbsent ? "not " : ""
    guard case .none = path.tail else {
      let suggestion = isAbsent ? "not exists(\(path.text))" : nil
      return binder.report(.pluralPath(relation: path.text, suggestion: suggestion), at: path.range)
    }
    switch written?.unparenthesized.kind {
    case .call(_, let arguments)?, .member(_, _, let arguments?)?:
      guard let written = written?.unparenthesized, !arguments.named.isEmpty else { break }
      let repeated = binder.repeated(written)
      let text = "\(negation)exists(\(repeated ?? "\(path.text)(…)"))"
      let edits = repeated == nil ? [] : [Diagnostic.FixIt.Edit(written.range, text)]
      let remedy = Remedy(help: "did you mean '\(text)'?", edits: edits)
      return binder.report(.pluralPath(relation: path.text, suggestion: nil), remedy, at: path.range)
    default: break
    }
    binder.report(.pluralPath(relation: path.text, suggestion: "\(negation)exists(\(path.text))"), at: path.range)
  }

  // MARK: Lets

  /// Reports arguments behind the name of a `let`, which belong into what it stands for.
  func reportArguments(_ arguments: [Argument], of name: Name, _ binding: Environment.Binding, _ place: Environment) {
    guard let first = arguments.first else { return }
    var text: String?
    let operand = binder.bindOperand(Expression(.name(name), at: name.range), place)
    if case .plural(let path) = binder.resolve(operand, place), path.isEntity, let expression = binding.expression {
      text = Self.adding(arguments, to: expression.unparenthesized).flatMap { binder.repeated($0) }
    }
    let remedy = text.map { Remedy(help: "write 'let \(name.text) := \($0)'") }
    binder.report(.argumentsOnLet(name: name.text), remedy, at: first.range)
  }

  /// Returns a list with more arguments, which take the place of those with their names.
  private static func adding(_ arguments: [Argument], to expression: Expression) -> Expression? {
    func whole(_ given: CallArguments?) -> CallArguments {
      let names = Set(arguments.map(\.name.text))
      let rest = (given?.named ?? []).filter { !names.contains($0.name.text) }
      return CallArguments(positional: given?.positional ?? [], named: rest + arguments, range: expression.range)
    }
    switch expression.kind {
    case .name(let name): return Expression(.call(name, whole(nil)), at: expression.range)
    case .call(let name, let given) where given.positional.isEmpty:
      return Expression(.call(name, whole(given)), at: expression.range)
    case .member(let base, let name, let given):
      return Expression(.member(base, name, whole(given)), at: expression.range)
    default: return nil
    }
  }
}
