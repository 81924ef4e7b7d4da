import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery
import GQLRegex

extension Binder {
  /// An argument that must be a text: a String, an ID or a UUID.
  func textArgument(_ written: Expression, _ environment: Environment) -> BoundExpression? {
    guard let value = value(bindOperand(written, environment), environment, at: written.range) else { return nil }
    guard value.type.scalar?.isTextual ?? false || value.type == .null else {
      report(.wrongType(found: words(value.type), expected: "text"), at: written.range)
      return nil
    }
    return converted(value.expression, .string)
  }

  /// An argument of a type, with the conversions of any place that wants one.
  func argument(_ written: Expression, _ type: ValueType, _ environment: Environment) -> BoundExpression? {
    coerce(bindOperand(written, environment), to: type, environment, at: written.range)
  }

  /// `lower upper trim replace split padStart`.
  func textFunction(
    _ function: ScalarFunction, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var arguments: [BoundExpression] = []
    for (index, written) in values.enumerated() {
      let isLength = function == .padStart && index == 1
      let bound = isLength ? argument(written, .int, environment) : textArgument(written, environment)
      guard let bound else { return .error }
      arguments.append(bound)
    }
    if function == .padStart, arguments.count == 2 {
      arguments.append(BoundExpression(.constant(.string(" ")), .string, at: range))
    }
    let type: ValueType = function == .split ? .list(.string) : .string
    return .value(BoundExpression(.call(function, arguments), type, at: range))
  }

  /// `slice(text or list, from, to)`.
  func slice(_ values: [Expression], _ environment: Environment, _ range: SourceRange) -> Operand {
    guard var subject = listValue(values[0], environment)?.expression else { return .error }
    if case .list = subject.type {
      // As it is.
    } else {
      guard subject.type.scalar?.isTextual ?? false || subject.type == .null else {
        report(.wrongType(found: words(subject.type), expected: "text or a list"), at: values[0].range)
        return .error
      }
      subject = converted(subject, .string)
    }
    var arguments = [subject]
    for written in values.dropFirst() {
      guard let place = argument(written, .int, environment) else { return .error }
      arguments.append(place)
    }
    return .value(BoundExpression(.call(.slice, arguments), subject.type, at: range))
  }

  /// A list that is written where it stands has the one type of its elements; others are what they are.
  func listValue(_ written: Expression, _ environment: Environment) -> TypedValue? {
    let operand = bindOperand(written, environment)
    if case .plural(let path) = operand, case .value = path.tail {
      let bag = "\(path.text).\(path.tailText)"
      let suggestion = bag.utf8.count <= 120 ? "collect(\(bag))" : nil
      report(.pluralPath(relation: path.text, suggestion: suggestion), at: written.range)
      return nil
    }
    guard case .list = operand else { return value(operand, environment, at: written.range) }
    var operands = [(operand, written.range)]
    guard unifyLists(&operands, environment, written.range), case .value(let list) = operands[0].0 else { return nil }
    return list
  }

  /// Gives the lists that are written out the one type that the elements of all of them have.
  func unifyLists(
    _ operands: inout [(Operand, SourceRange)], _ environment: Environment, _ range: SourceRange
  ) -> Bool {
    // A bare name may be an enum value, which the others decide.
    var elements: [(Operand, SourceRange)] = []
    for case (.list(let written, _), _) in operands {
      elements += written.map { (bindOperand($0, environment), $0.range) }
    }
    guard var parts = elements.isEmpty ? [] : alike(elements, environment, range) else { return false }
    // Nothing says of what a list is that has nulls only, or nothing.
    let type = parts.first { $0.type != .null }?.type ?? .string
    for index in operands.indices {
      guard case .list(let written, let place) = operands[index].0 else { continue }
      guard let list = list(of: Array(parts.prefix(written.count)), type, at: place) else { return false }
      parts.removeFirst(written.count)
      operands[index].0 = .value(TypedValue(expression: list))
    }
    return true
  }

  /// `sort(list)`.
  func sorted(_ values: [Expression], _ environment: Environment, _ range: SourceRange) -> Operand {
    guard let list = listValue(values[0], environment) else { return .error }
    guard case .list(let element) = list.type else {
      report(.wrongType(found: words(list.type), expected: "a list"), at: values[0].range)
      return .error
    }
    guard isOrdered(element) else {
      report(.unordered(type: words(element)), at: values[0].range)
      return .error
    }
    return .value(BoundExpression(.call(.sort, [list.expression]), list.type, at: range))
  }

  /// `extract(text, pattern, group)`: the group by number or by name, the whole match where it is left out.
  func extract(_ values: [Expression], _ environment: Environment, _ range: SourceRange) -> Operand {
    guard let text = textArgument(values[0], environment), let pattern = textArgument(values[1], environment),
      checkRegex(pattern)
    else { return .error }
    var group = BoundExpression(.constant(.int(0)), .int, at: range)
    if values.count == 3 {
      let operand = resolve(bindOperand(values[2], environment), environment)
      guard let bound = value(operand, environment, at: values[2].range)?.expression else { return .error }
      guard bound.type == .int || bound.type == .string || bound.type == .null else {
        report(.wrongType(found: words(bound.type), expected: "the number or the name of a group"), at: values[2].range)
        return .error
      }
      group = bound.type == .null ? converted(bound, .int) : bound
    }
    if let constant = group.constant, case .string(let source)? = pattern.constant,
      let compiled = try? Pattern(Array(source.bytes), limits: options.limits.patterns)
    {
      let number: Int?
      switch constant {
      case .int(let written): number = written >= 0 && written <= Int64(compiled.captureCount) ? Int(written) : nil
      case .string(let name): number = compiled.group(named: name.string)
      default: number = 0
      }
      guard let number else {
        report(.invalidPattern(message: "it has no such group"), at: group.range)
        return .error
      }
      if !constant.isNull { group = BoundExpression(.constant(.int(Int64(number))), .int, at: group.range) }
    }
    return .value(BoundExpression(.call(.extract, [text, pattern, group]), .string, at: range))
  }

  func length(
    _ name: Name, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    if values.count == 1, let value = listValue(values[0], environment) {
      if case .list = value.type {
        return .value(BoundExpression(.call(.length, [value.expression]), .int, at: range))
      }
      guard value.type.scalar?.isTextual ?? false || value.type == .null else {
        report(.wrongType(found: words(value.type), expected: "text or a list"), at: values[0].range)
        return .error
      }
      return .value(BoundExpression(.call(.length, [converted(value.expression, .string)]), .int, at: range))
    }
    return values.count == 1 ? .error : wrongCount(name, "one text or list", range)
  }

  func collate(
    _ name: Name, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    guard values.count == 2 else { return wrongCount(name, "a text and CI", range) }
    guard case .name(let collation) = values[1].kind, collation.text == "CI" else {
      if case .string = values[1].kind {
        report(.notSupportedYet(.languageCollation), at: values[1].range)
      } else {
        report(.wrongType(found: "another collation", expected: "CI"), at: values[1].range)
      }
      return .error
    }
    let operand = resolve(bindOperand(values[0], environment), environment)
    guard let value = value(operand, environment, at: values[0].range) else { return .error }
    guard value.type.scalar?.isTextual ?? false || value.type == .null else {
      report(.wrongType(found: words(value.type), expected: "text"), at: values[0].range)
      return .error
    }
    let text = converted(value.expression, .string)
    return .value(text, folded: value.folded ?? fold(text))
  }
}
