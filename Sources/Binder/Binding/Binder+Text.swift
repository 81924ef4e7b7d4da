import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery
import GQLRegex

extension Binder {
  /// `contains startsWith endsWith like ilike =~`.
  @inline(never)
  func bindTextOperator(
    _ op: BinaryOperator, _ left: Expression, _ right: Expression, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var subject = resolve(bindOperand(left, environment), environment)
    if op == .contains, case .list(let elements, _) = subject, !elements.isEmpty {
      guard let list = listValue(left, environment) else { return .error }
      subject = .value(list)
    }
    let known = query.sets.count
    let pattern = bindOperand(right, environment)
    // One that ignores case is compared with each element, as by `in`.
    if op == .contains, case .value(let list) = subject, case .list(let element) = list.type,
      element.scalar?.isTextual ?? false, case .value(let value) = resolve(pattern, environment, wanting: element),
      value.folded != nil
    {
      query.sets.removeLast(query.sets.count - known)
      guard let isAbsent = isNull(.value(list), at: range),
        case .value(let test) = membership(right, left, environment, range)
      else { return .error }
      // Of no list it is unknown, as without a collation.
      return .value(BoundExpression(.conditional([negation(isAbsent), test.expression]), .boolean, at: range))
    }
    if case .plural(let path) = subject {
      var suggestion: String?
      if !path.tailText.isEmpty, case .literal(.text(let text), _) = pattern {
        suggestion = "some(\(path.text), \(path.tailText) \(op.rawValue) \(JSONValue.string(text).json))"
      }
      report(.pluralPath(relation: path.text, suggestion: suggestion), at: range)
      return .error
    }
    return textTest(op, subject, pattern, environment, range).map { .value($0) } ?? .error
  }

  func textTest(
    _ op: BinaryOperator, _ subject: Operand, _ pattern: Operand, _ environment: Environment, _ range: SourceRange,
    origin: ValueCoercion.Origin = .document
  ) -> BoundExpression? {
    guard let text = value(subject, environment, at: range) else { return nil }
    if op == .contains, case .list(let element) = text.type {
      return MemberBinder(binder: self).contains(
        text.expression, of: element, pattern, environment, at: range, origin: origin)
    }
    guard text.type.scalar?.isTextual ?? false || text.type == .null else {
      report(.wrongType(found: words(text.type), expected: "text"), at: text.expression.range)
      return nil
    }
    guard let other = value(resolve(pattern, environment), environment, at: range) else { return nil }
    guard other.type.scalar?.isTextual ?? false || other.type == .null else {
      report(.wrongType(found: words(other.type), expected: "text"), at: other.expression.range)
      return nil
    }
    let isFolded = (text.folded != nil || other.folded != nil) && op != .match
    let first =
      isFolded ? text.folded ?? fold(converted(text.expression, .string)) : converted(text.expression, .string)
    let second =
      isFolded ? other.folded ?? fold(converted(other.expression, .string)) : converted(other.expression, .string)
    switch op {
    case .contains: return BoundExpression(.textTest(.contains, first, second), .boolean, at: range)
    case .startsWith: return BoundExpression(.textTest(.startsWith, first, second), .boolean, at: range)
    case .endsWith: return BoundExpression(.textTest(.endsWith, first, second), .boolean, at: range)
    case .like, .ilike:
      guard checkLike(second) else { return nil }
      return BoundExpression(
        .like(first, pattern: second, isCaseInsensitive: op == .ilike), .boolean, at: range)
    case .match:
      guard checkRegex(second) else { return nil }
      return BoundExpression(.regex(first, pattern: second), .boolean, at: range)
    default: return nil
    }
  }

  private func checkLike(_ pattern: BoundExpression) -> Bool {
    guard case .constant(.string(let text)) = pattern.kind else { return true }
    do throws(PatternError) {
      _ = try LikePattern(Array(text.bytes), options.interruption)
      return true
    } catch {
      report(.invalidPattern(message: error.message), at: place(error.offset, in: pattern, text))
      return false
    }
  }

  /// A literal pattern is checked with the document, its offset mapped into it.
  func checkRegex(_ pattern: BoundExpression) -> Bool {
    guard case .constant(.string(let text)) = pattern.kind else { return true }
    do throws(PatternError) {
      _ = try Pattern(Array(text.bytes), limits: options.limits.patterns)
      return true
    } catch {
      report(.invalidPattern(message: error.message), at: place(error.offset, in: pattern, text))
      return false
    }
  }

  /// Exact where the literal has no escapes: its text then lies behind one or three quotes.
  private func place(_ offset: Int, in pattern: BoundExpression, _ text: Text) -> SourceRange {
    let range = pattern.range
    let quotes = (range.count - text.count) / 2
    guard quotes == 1 || quotes == 3, range.count == text.count + 2 * quotes, offset >= 0, offset <= text.count else {
      return range
    }
    let start = range.start + UInt32(quotes + offset)
    return SourceRange(start: start, end: max(start, min(start + 1, range.end - UInt32(quotes))))
  }
}
