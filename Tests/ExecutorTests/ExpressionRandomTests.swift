import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import Testing
@testable import GQLExecutor

/// Random expressions over random rows against the scalar reference.
@Suite struct ExpressionRandomTests {
  typealias Column = ExpressionHarness.Column
  typealias Harness = ExpressionHarness

  static func rows(_ count: Int, _ generator: inout SeededGenerator) -> [ExpressionReference.Row] {
    let texts = [
      "", "a", "ab", "abc", "abd", "Zebra", "äpfel", "twelve bytes", "thirteen bytes", "thirteen bytez", "a\u{0}",
    ]
    func maybe(_ value: Value, _ generator: inout SeededGenerator) -> Value {
      Int.random(in: 0..<6, using: &generator) == 0 ? .null : value
    }
    var rows: [ExpressionReference.Row] = []
    for _ in 0..<count {
      var row: ExpressionReference.Row = [:]
      row[.i] = maybe(.int(Int64.random(in: -5...5, using: &generator)), &generator)
      let large: [Int64] = [.min, .max, 0, 1, -1, 3_000_000_000]
      row[.j] = .int(large.randomElement(using: &generator) ?? 0)
      row[.f] = maybe(.float(Double(Int.random(in: -8...8, using: &generator)) / 4), &generator)
      let tenths = Int128(Int.random(in: -30...30, using: &generator))
      row[.d] = maybe(.decimal(Decimal(significand: tenths, scale: 1) ?? .zero), &generator)
      row[.s] = maybe(.string(Text(texts.randomElement(using: &generator) ?? "")), &generator)
      row[.t] = maybe(.string(Text(texts.randomElement(using: &generator) ?? "")), &generator)
      row[.b] = maybe(.boolean(Bool.random(using: &generator)), &generator)
      row[.e] = maybe(.enumeration(Harness.status, code: Int.random(in: 0..<3, using: &generator)), &generator)
      // The years 1900 to 2100, down to microseconds.
      row[.at] = maybe(
        .dateTime(Int64.random(in: -2_208_988_800_000_000..<4_102_444_800_000_000, using: &generator)), &generator)
      rows.append(row)
    }
    return rows
  }

  static func leaf(_ type: ValueType, _ generator: inout SeededGenerator) -> BoundExpression {
    let columns = Column.allCases.filter { $0.type == type && $0 != .id }
    guard let column = columns.randomElement(using: &generator) else {
      return Harness.constant(constant(type, &generator), type)
    }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return Harness.constant(.null, type)
    case 1, 2: return Harness.constant(constant(type, &generator), type)
    case 3: return Harness.nextColumn(column)
    default: return Harness.column(column)
    }
  }

  /// An expression of a type, of at most that depth.
  static func expression(_ type: ValueType, _ depth: Int, _ generator: inout SeededGenerator) -> BoundExpression {
    func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
    func inner(_ type: ValueType) -> BoundExpression { expression(type, depth - 1, &generator) }
    func list(_ type: ValueType, _ count: Int) -> [BoundExpression] { (0..<count).map { _ in inner(type) } }
    if depth <= 0 { return leaf(type, &generator) }
    if pick(4) == 0, let result = function(type, pick(100), depth, &generator) { return result }
    switch type {
    case .scalar(.boolean):
      if let result = test(pick(13), depth, &generator) { return result }
    case .scalar(.int):
      switch pick(8) {
      case 0, 1, 2:
        let operation = [ArithmeticOperator.add, .subtract, .multiply, .remainder][pick(4)]
        return Harness.node(.arithmetic(operation, inner(.int), inner(.int)), .int, at: UInt32(pick(1000)))
      case 3: return Harness.node(.negate(inner(.int)), .int)
      case 4: return Harness.node(.call(.length, [inner(.string)]), .int)
      default: break
      }
    case .scalar(.float):
      if pick(3) == 0 {
        let operand: ValueType = pick(2) == 0 ? .int : .float
        return Harness.node(.arithmetic(ArithmeticOperator.allCases[pick(4)], inner(operand), inner(.float)), .float)
      }
    case .scalar(.string):
      if pick(3) == 0 { return Harness.node(.arithmetic(.add, inner(.string), inner(.string)), .string) }
    default: break
    }
    switch pick(4) {
    case 0: return Harness.node(.coalesce(list(type, 1 + pick(4))), type)
    case 1:
      let count = 2 + pick(3)
      var operands: [BoundExpression] = []
      for index in 0..<count { operands.append(inner(index % 2 == 0 && index + 1 < count ? .boolean : type)) }
      return Harness.node(.conditional(operands), type)
    default: return leaf(type, &generator)
    }
  }

  /// A call of a scalar function that gives the type.
  private static func function(
    _ type: ValueType, _ choice: Int, _ depth: Int, _ generator: inout SeededGenerator
  ) -> BoundExpression? {
    func inner(_ type: ValueType) -> BoundExpression { expression(type, depth - 1, &generator) }
    func call(_ function: ScalarFunction, _ arguments: BoundExpression...) -> BoundExpression {
      Harness.node(.call(function, arguments), type)
    }
    func unit(_ names: [String]) -> BoundExpression {
      Harness.constant(.string(Text(names[choice % names.count])), .string)
    }
    let time = ValueType.scalar(.dateTime)
    let small = Harness.constant(.int(Int64(choice % 9) - 4), .int)
    if choice % 5 == 0 { return call(.try, inner(type)) }
    switch (type, choice % 12) {
    case (.scalar(.int), 0): return call(.abs, inner(.int))
    case (.scalar(.int), 1): return call(.round, inner(.float))
    case (.scalar(.int), 2): return call(.floor, inner(.float))
    case (.scalar(.int), 3): return call(.ceil, inner(.decimal))
    case (.scalar(.int), 4): return call(.round, inner(.decimal))
    case (.scalar(.int), 5): return call(.div, inner(.int), inner(.int))
    case (.scalar(.int), 6): return call(.least, inner(.int), inner(.int), inner(.int))
    case (.scalar(.int), 7), (.scalar(.int), 8):
      let parts: [ScalarFunction] = [.year, .month, .day, .hour, .minute, .second, .weekday]
      return call(parts[choice % parts.count], inner(time))
    case (.scalar(.int), 9): return call(.dateDiff, inner(time), inner(time), unit(["DAY", "HOUR", "SECOND"]))
    case (.scalar(.float), 0...3): return call(.abs, inner(.float))
    case (.scalar(.float), 4...6): return call(.sqrt, leaf(.float, &generator))
    case (.scalar(.float), 7...8): return call(.div, leaf(.float, &generator), leaf(.float, &generator))
    case (.scalar(.float), 9): return call(.greatest, inner(.float), inner(.float))
    case (.scalar(.string), 0...2): return call(.slice, inner(.string), small, inner(.int))
    case (.scalar(.string), 3): return call(.slice, inner(.string), inner(.int))
    case (.scalar(.string), 4...5): return call(.replace, inner(.string), leaf(.string, &generator), inner(.string))
    case (.scalar(.string), 6): return call(.concat, inner(.string), inner(.string), inner(.string))
    case (.scalar(.string), 7...8): return call(.padStart, inner(.string), small, inner(.string))
    case (.scalar(.string), 9): return call(.greatest, inner(.string), inner(.string))
    case (.scalar(.dateTime), 0...6):
      return call(.trunc, inner(time), unit(["YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"]))
    case (.scalar(.dateTime), 7...10):
      let span = Harness.constant(.duration(Int64(choice) * 86_399_999_999), .scalar(.duration))
      return Harness.node(.arithmetic(choice % 2 == 0 ? .add : .subtract, inner(time), span), time)
    case (.list(.scalar(.string)), _): return call(.split, inner(.string), leaf(.string, &generator))
    case (.scalar(.duration), _): return Harness.node(.arithmetic(.subtract, inner(time), inner(time)), type)
    default: return nil
    }
  }

  private static func test(_ choice: Int, _ depth: Int, _ generator: inout SeededGenerator) -> BoundExpression? {
    func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
    func inner(_ type: ValueType) -> BoundExpression { expression(type, depth - 1, &generator) }
    func list(_ type: ValueType, _ count: Int) -> [BoundExpression] { (0..<count).map { _ in inner(type) } }
    switch choice {
    case 0: return Harness.node(.not(inner(.boolean)))
    case 1, 2: return Harness.node(.and(list(.boolean, 1 + pick(4))))
    case 3, 4: return Harness.node(.or(list(.boolean, 1 + pick(4))))
    case 5: return Harness.node(.isTrue(inner(.boolean)))
    case 6:
      let types: [ValueType] = [.int, .float, .string, .boolean]
      return Harness.node(.isNull(inner(types[pick(4)])))
    case 7:
      var constants: [BoundExpression] = []
      for _ in 0...pick(12) { constants.append(Harness.constant(constant(.int, &generator), .int)) }
      return Harness.node(.inValues(inner(.int), constants))
    case 8:
      return Harness.node(
        .inRange(
          inner(.int), lower: pick(3) == 0 ? nil : inner(.int), upper: pick(3) == 0 ? nil : inner(.int),
          includesUpper: pick(2) == 0))
    case 9: return Harness.node(.textTest(TextTest.allCases[pick(3)], inner(.string), inner(.string)))
    case 10: return Harness.node(.inValues(inner(.string), list(.string, 1 + pick(4))))
    default:
      let comparison = ComparisonOperator.allCases[pick(6)]
      let numbers: [ValueType] = [.int, .float, .decimal]
      let status = ValueType.enumeration(Harness.status)
      switch pick(6) {
      case 0: return Harness.node(.compare(comparison, inner(numbers[pick(3)]), inner(numbers[pick(3)])))
      case 1: return Harness.node(.compare(comparison, inner(.string), inner(.string)))
      case 2: return Harness.node(.compare(comparison, inner(status), inner(status)))
      case 3: return Harness.node(.compare(comparison, inner(.boolean), inner(.boolean)))
      default: return Harness.node(.compare(comparison, inner(.int), inner(.int)))
      }
    }
  }

  static func constant(_ type: ValueType, _ generator: inout SeededGenerator) -> Value {
    let number = Int.random(in: -5...5, using: &generator)
    switch type {
    case .scalar(.int): return .int(Int64(number))
    case .scalar(.float): return .float(Double(number) / 4)
    case .scalar(.decimal): return .decimal(Decimal(significand: Int128(number), scale: 1) ?? .zero)
    case .scalar(.string): return .string(Text(["", "a", "bc", "thirteen bytes"][abs(number) % 4]))
    case .scalar(.boolean): return .boolean(number > 0)
    case .scalar(.dateTime): return .dateTime(Int64(number))
    case .scalar(.duration): return .duration(Int64(number) * 1_000_003)
    case .enumeration(let id): return .enumeration(id, code: abs(number) % 3)
    default: return .null
    }
  }

  static func json(_ value: Value) -> String {
    var buffer = ByteBuffer()
    switch value {
    case .int(let number): buffer.append(int: number)
    case .float(let number): buffer.append(double: number)
    case .decimal(let number): buffer.append(decimal: number)
    case .string(let text): buffer.append(json: text)
    case .boolean(let flag): buffer.append(bool: flag)
    case .enumeration(_, let code): buffer.append(json: ["NEW", "ACTIVE", "GONE"][code])
    case .dateTime(let time): buffer.append(dateTime: time)
    case .duration(let time): buffer.append(duration: time)
    case .list(let elements): return "[\(elements.map(json).joined(separator: ","))]"
    default: buffer.append("null")
    }
    return buffer.string
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func agreesWithTheReference(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    // More than a page, and not a multiple of eight.
    let rows = ExpressionRandomTests.rows(1111, &generator)
    var links: [Int?] = []
    for _ in rows {
      links.append(Bool.random(using: &generator) ? Int.random(in: 0..<rows.count, using: &generator) : nil)
    }
    let harness = try Harness(rows, links: links)
    let types: [ValueType] = [
      .boolean, .boolean, .boolean, .int, .float, .string, .int, .string, .scalar(.dateTime), .scalar(.duration),
      .list(.string),
    ]
    for round in 0..<220 {
      let type = types[round % types.count]
      let expression = ExpressionRandomTests.expression(type, round % 5, &generator)
      let expected = rows.indices.map { index in
        ExpressionReference.outcome(expression, rows[index], next: links[index].map { rows[$0] })
      }
      try check(harness, expression, expected, "seed \(seed) round \(round): \(expression)")
    }
  }

  private func check(
    _ harness: Harness, _ expression: BoundExpression, _ expected: [ExpressionReference.Outcome], _ comment: String
  ) throws {
    let fails = expected.contains(.failure)
    let results: [String]
    do throws(RuntimeProblem) {
      results = try harness.evaluate(expression)
    } catch {
      #expect(fails, "\(error) in \(comment)")
      return
    }
    #expect(!fails, "should fail: \(comment)")
    for (index, outcome) in expected.enumerated() {
      guard case .value(let value) = outcome else { continue }
      let json = ExpressionRandomTests.json(value)
      if results[index] != json {
        Issue.record("row \(index): \(results[index]) instead of \(json): \(comment)")
        return
      }
    }
    guard expression.type == .boolean else { return }
    let kept = expected.indices.filter { expected[$0] == .value(.boolean(true)) }.map { UInt32($0) }
    #expect(try harness.filter(expression) == kept, "filter: \(comment)")
    for slice in [1024, 100, 7] {
      let pages = try harness.filterPages(expression, slice: slice)
      #expect(pages.rows == kept, "filterPage by \(slice): \(comment)")
      #expect(pages.count == kept.count, "countPage by \(slice): \(comment)")
    }
  }
}
