import Foundation

/// Arithmetic, conversions and the scalar functions.
extension ReferenceEvaluator {
  func negated(_ value: Datum) throws -> Datum {
    switch value {
    case .int(let number): return try arithmetic("-", .int(0), .int(number))
    case .float(let number): return .float(-number)
    case .decimal(let number): return .decimal(-number)
    case .duration(let seconds): return .duration(-seconds)
    default: return .null
    }
  }

  func arithmetic(_ sign: String, _ left: Datum, _ right: Datum) throws -> Datum {
    switch (left, right) {
    case (.null, _), (_, .null): return .null
    case (.text(let left), .text(let right)) where sign == "+": return .text(left + right)
    case (.int(let left), .int(let right)) where sign != "/":
      if sign == "%" {
        guard right != 0 else { throw ReferenceFailure.runtime("division-by-zero") }
        return .int(left % right)
      }
      let (result, overflows) =
        switch sign {
        case "+": left.addingReportingOverflow(right)
        case "-": left.subtractingReportingOverflow(right)
        default: left.multipliedReportingOverflow(by: right)
        }
      guard !overflows else { throw ReferenceFailure.runtime("overflow") }
      return .int(result)
    case (.date(let left), .date(let right)): return .duration((left - right) * CivilCalendar.secondsPerDay)
    case (.time(let left), .time(let right)): return .duration(left - right)
    case (.date(let day), .duration(let seconds)):
      guard seconds % CivilCalendar.secondsPerDay == 0 else { throw ReferenceFailure.beyondModel }
      let days = seconds / CivilCalendar.secondsPerDay
      return .date(sign == "+" ? day + days : day - days)
    case (.time(let moment), .duration(let seconds)): return .time(sign == "+" ? moment + seconds : moment - seconds)
    case (.duration(let left), .duration(let right)): return .duration(sign == "+" ? left + right : left - right)
    case (.duration(let seconds), .int(let factor)) where sign == "*":
      return .duration(try Self.int(Int128(seconds) * Int128(factor)))
    default: return try numbers(sign, left, right)
    }
  }

  private func numbers(_ sign: String, _ left: Datum, _ right: Datum) throws -> Datum {
    guard left.isNumber, right.isNumber else { throw ReferenceFailure.malformed }
    var isDecimal = false
    if case .decimal = left { isDecimal = true }
    if case .decimal = right { isDecimal = true }
    if isDecimal {
      // Nothing is mixed on purpose; an average of sums of nothing is one of integers here.
      for case .float in [left, right] { throw ReferenceFailure.beyondModel }
      let (left, right) = (try left.exact(), try right.exact())
      switch sign {
      case "+": return .decimal(try left + right)
      case "-": return .decimal(try left + -right)
      case "*": return .decimal(try left * right)
      default:
        guard right.mantissa != 0 else { throw ReferenceFailure.runtime("division-by-zero") }
        return .decimal(try left.divided(by: right))
      }
    }
    let (left, right) = (try left.double(), try right.double())
    if sign == "/", right == 0 { throw ReferenceFailure.runtime("division-by-zero") }
    let result = sign == "+" ? left + right : sign == "-" ? left - right : sign == "*" ? left * right : left / right
    guard result.isFinite else { throw ReferenceFailure.runtime("overflow") }
    // Very large and very small numbers are printed with exponents, which is not the point here.
    guard result == 0 || (abs(result) < 1e15 && abs(result) > 1e-4) else { throw ReferenceFailure.beyondModel }
    return .float(result)
  }

  /// Exact until the end, so that it does not depend on the order.
  func sum(_ values: [Datum]) throws -> Datum {
    var floats: [Double] = []
    var total = Datum.int(0)
    if case .decimal? = values.first { return .decimal(try .sum(values.map { try $0.exact() })) }
    for value in values {
      if case .float(let number) = value { floats.append(number) } else { total = try arithmetic("+", total, value) }
    }
    // A sum of nothing but zeros is zero, without a sign.
    return floats.isEmpty ? total : .float(Self.exactSum(floats) + 0)
  }

  /// Shewchuk's sum: partial sums that do not overlap.
  private static func exactSum(_ numbers: [Double]) -> Double {
    var partials: [Double] = []
    for number in numbers {
      var rest = number
      var kept: [Double] = []
      for partial in partials {
        let (large, small) = abs(rest) < abs(partial) ? (partial, rest) : (rest, partial)
        let high = large + small
        let low = small - (high - large)
        if low != 0 { kept.append(low) }
        rest = high
      }
      partials = kept + [rest]
    }
    guard var high = partials.popLast() else { return 0 }
    var low = 0.0
    while let next = partials.popLast() {
      let before = high
      high = before + next
      low = next - (high - before)
      if low != 0 { break }
    }
    // Half-way cases are decided by what is left.
    if let last = partials.last, (low < 0 && last < 0) || (low > 0 && last > 0) {
      let twice = low * 2
      let rounded = high + twice
      if twice == rounded - high { high = rounded }
    }
    return high
  }

  private static func int(_ number: Int128) throws -> Int {
    guard let number = Int(exactly: number) else { throw ReferenceFailure.runtime("overflow") }
    return number
  }

  func convert(_ value: Datum, to type: String) throws -> Datum {
    switch (type, value) {
    case (_, .null): return .null
    case ("Int", .int), ("Float", .float), ("Decimal", .decimal), ("String", .text), ("Boolean", .bool): return value
    case ("Int", .text(let text)):
      guard let number = Int(text) else { throw ReferenceFailure.runtime("conversion") }
      return .int(number)
    case ("Int", .float(let number)):
      guard number == number.rounded() else { throw ReferenceFailure.runtime("conversion") }
      return .int(Int(number))
    case ("Int", .decimal(let number)):
      guard number.reduced.scale == 0 else { throw ReferenceFailure.runtime("conversion") }
      return .int(try Self.int(number.reduced.mantissa))
    case ("Float", .int(let number)): return .float(Double(number))
    case ("Float", .decimal(let number)): return .float(number.double)
    case ("Decimal", .int(let number)): return .decimal(ExactDecimal(Int128(number)))
    case ("String", .int), ("String", .float), ("String", .decimal), ("String", .bool): return .text(value.json)
    case ("String", .id(let text, _)), ("String", .symbol(_, let text)): return .text(text)
    case ("String", .date(let number)): return .text(CivilCalendar.dateText(number))
    case ("String", .time(let number)): return .text(CivilCalendar.timeText(number))
    case ("Date", .time(let seconds)):
      return .date(CivilCalendar.floorQuotient(seconds, CivilCalendar.secondsPerDay))
    default: throw ReferenceFailure.malformed
    }
  }

  // MARK: - Functions

  func call(_ name: String, _ node: Node, _ environment: Environment) throws -> Datum {
    switch name {
    case "if":
      var place = 0
      while place + 1 < node.children.count {
        if try evaluate(node[place], environment).isTrue { return try evaluate(node[place + 1], environment) }
        place += 2
      }
      return place < node.children.count ? try evaluate(node[place], environment) : .null
    case "coalesce":
      for child in node.children {
        let value = try evaluate(child, environment)
        if !value.isNull { return value }
      }
      return .null
    case "nullif":
      let value = try evaluate(node[0], environment)
      return try Datum.isSame(value, evaluate(node[1], environment)) ? .null : value
    case "highlight": return try highlight(node, environment)
    case "try":
      do { return try evaluate(node[0], environment) } catch ReferenceFailure.runtime { return .null }
    default: break
    }
    var arguments: [Datum] = []
    var word = ""
    for child in node.children {
      if case .word(let text) = child.form { word = text } else { arguments.append(try evaluate(child, environment)) }
    }
    if arguments.contains(where: \.isNull) { return .null }
    return try function(name, arguments, word)
  }

  private func function(_ name: String, _ arguments: [Datum], _ word: String) throws -> Datum {
    guard let first = arguments.first else { throw ReferenceFailure.malformed }
    switch name {
    case "int", "float", "decimal", "string", "date":
      return try convert(first, to: name == "int" ? "Int" : name == "date" ? "Date" : name.capitalized)
    case "collate": return first
    case "abs": return try Datum.order(first, .int(0), folded: false) < 0 ? negated(first) : first
    case "div":
      guard case .int(let left) = first, case .int(let right) = arguments[1] else { throw ReferenceFailure.malformed }
      guard right != 0 else { throw ReferenceFailure.runtime("division-by-zero") }
      return .int(left / right)
    case "sqrt":
      let number = try first.double()
      guard number >= 0 else { throw ReferenceFailure.runtime("out-of-domain") }
      return .float(number.squareRoot())
    case "least", "greatest":
      return try arguments.dropFirst().reduce(first) { best, value in
        let order = try Datum.order(value, best, folded: false)
        return (name == "least" ? order < 0 : order > 0) ? value : best
      }
    case "floor", "ceil", "round": return try round(name, first, arguments.dropFirst().first)
    case "sort":
      guard case .list(let elements) = first else { throw ReferenceFailure.malformed }
      return .list(try sorted(elements, [Node(.order(.plain), [Node(.list)])]) { _, element in element })
    case "length" where first.isList: return .int(first.elements.count)
    case "slice" where first.isList:
      return .list(Array(first.elements[try Self.range(arguments, of: first.elements.count)]))
    case "lower", "upper", "trim", "length", "slice", "concat", "replace", "split", "padStart":
      return try textFunction(name, arguments)
    default: return try timeFunction(name, arguments, word)
    }
  }

  private func round(_ name: String, _ value: Datum, _ places: Datum?) throws -> Datum {
    if case .int = value { return value }
    let exact = try value.exact()
    switch name {
    case "floor": return .int(try Self.int(exact.floor))
    case "ceil": return .int(try Self.int(exact.ceiling))
    default: break
    }
    guard case .int(let places)? = places else { return .int(try Self.int(exact.rounded(to: 0).mantissa)) }
    let rounded = exact.rounded(to: places)
    if case .float = value { return .float(rounded.double) }
    return .decimal(rounded)
  }

  /// 0-based and half-open; negative places count from the end.
  private static func range(_ arguments: [Datum], of count: Int) throws -> Range<Int> {
    func place(_ index: Int) throws -> Int {
      guard arguments.indices.contains(index) else { return count }
      guard case .int(let number) = arguments[index] else { throw ReferenceFailure.malformed }
      return min(max(number < 0 ? count + number : number, 0), count)
    }
    let start = try place(1)
    return start..<max(start, try place(2))
  }

  private func textFunction(_ name: String, _ arguments: [Datum]) throws -> Datum {
    guard case .text(let text) = arguments[0] else { throw ReferenceFailure.malformed }
    let letters = Array(text.unicodeScalars)
    func argument(_ place: Int) throws -> String {
      guard arguments.indices.contains(place), case .text(let text) = arguments[place] else {
        throw ReferenceFailure.malformed
      }
      return text
    }
    switch name {
    case "lower": return .text(text.lowercased())
    case "upper": return .text(text.uppercased())
    case "trim": return .text(text.trimmingCharacters(in: .whitespacesAndNewlines))
    case "length": return .int(letters.count)
    case "slice":
      var part = String.UnicodeScalarView()
      part.append(contentsOf: letters[try Self.range(arguments, of: letters.count)])
      return .text(String(part))
    case "concat":
      return .text(try arguments.indices.map { try argument($0) }.joined())
    case "replace": return .text(try text.split(by: argument(1)).joined(separator: argument(2)))
    case "split":
      let separator = try argument(1)
      if separator.isEmpty { return .list(letters.map { .text(String($0)) }) }
      return .list(text.split(by: separator).map { .text($0) })
    default:
      guard case .int(let length) = arguments[1] else { throw ReferenceFailure.malformed }
      return .text(String(repeating: " ", count: max(0, length - letters.count)) + text)
    }
  }
}

extension String {
  /// The parts between occurrences, from left to right; the whole for an empty separator.
  fileprivate func split(by separator: String) -> [String] {
    let bytes = Array(utf8)
    let wanted = Array(separator.utf8)
    guard !wanted.isEmpty else { return [self] }
    var parts: [[UInt8]] = [[]]
    var place = 0
    while place < bytes.count {
      if bytes[place...].starts(with: wanted) {
        parts.append([])
        place += wanted.count
      } else {
        parts[parts.count - 1].append(bytes[place])
        place += 1
      }
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Datum {
  var isList: Bool { if case .list = self { true } else { false } }
  var elements: [Datum] { if case .list(let elements) = self { elements } else { [] } }
}
