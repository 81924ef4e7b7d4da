import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting
import Testing
@testable import GQLExecutor

/// Single rules of expressions; the expectations are worked out by hand.
@Suite struct ExpressionTests {
  typealias H = ExpressionHarness

  private func int(_ value: Int64) -> BoundExpression { H.constant(.int(value), .int) }
  private func text(_ value: String) -> BoundExpression { H.constant(.string(Text(value)), .string) }
  private func problem(_ harness: H, _ expression: BoundExpression) -> RuntimeProblem? {
    do throws(RuntimeProblem) {
      _ = try harness.evaluate(expression)
      return nil
    } catch {
      return error
    }
  }

  // MARK: - Errors

  @Test func overflowNamesOperatorEntityAndValues() throws {
    let harness = try H([[.i: .int(1)], [.i: .int(.max)], [.i: .int(.max)]])
    let sum = H.node(.arithmetic(.add, H.column(.i), int(1)), .int, at: 17)
    let problem = problem(harness, sum)
    #expect(problem?.kind == .overflow(.int))
    #expect(problem?.range == SourceRange(at: 17))
    #expect(problem?.entity?.row == 1)
    #expect(problem?.values == ["9223372036854775807", "1"])
    let diagnostic = problem?.diagnostic(catalog: harness.catalog, entityID: "1")
    #expect(diagnostic?.code == DiagnosticCode("overflow"))
    #expect(diagnostic?.notes.first?.message == "evaluated for T 1")
  }

  @Test func divisionByZeroIsAnErrorOnlyWhereItIsReached() throws {
    let harness = try H([[.i: .int(0)], [.i: .int(5)], [.i: .null], [.i: .int(3)]])
    let remainder = H.node(.arithmetic(.remainder, int(10), H.column(.i)), .int)
    #expect(problem(harness, remainder)?.kind == .divisionByZero)
    #expect(problem(harness, remainder)?.entity?.row == 0)
    let isZero = H.node(.compare(.equal, remainder, int(0)))
    let isNotZero = H.node(.compare(.notEqual, H.column(.i), int(0)))
    // The null is not 0, and 10 % null is null, which equals no 0.
    #expect(try harness.evaluate(H.node(.and([isNotZero, isZero]))) == ["false", "true", "false", "false"])
    #expect(try harness.filter(H.node(.and([isNotZero, isZero]))) == [1])
    #expect(problem(harness, H.node(.and([isZero, isNotZero]))) != nil)
    let guarded = H.node(.conditional([isNotZero, remainder, int(-1)]), .int)
    #expect(try harness.evaluate(guarded) == ["-1", "0", "null", "1"])
    let quotient = H.node(.arithmetic(.divide, H.column(.i), int(2)), .float)
    #expect(try harness.evaluate(quotient) == ["0", "2.5", "null", "1.5"])
  }

  @Test func floatOverflowIsAnError() throws {
    let harness = try H([[.f: .float(1e308)]])
    let product = H.node(.arithmetic(.multiply, H.column(.f), H.constant(.float(10), .float)), .float)
    #expect(problem(harness, product)?.kind == .overflow(.float))
  }

  // MARK: - Numbers

  @Test func numbersCompareByExactValue() throws {
    // 2^53 + 1 has no double; 0.1 as a double is not 0.1 as a decimal.
    let harness = try H([[.i: .int(9_007_199_254_740_993), .f: .float(9_007_199_254_740_992)]])
    #expect(try harness.evaluate(H.node(.compare(.greater, H.column(.i), H.column(.f)))) == ["true"])
    #expect(try harness.evaluate(H.node(.compare(.equal, H.column(.i), H.column(.f)))) == ["false"])
    let tenth = H.constant(.decimal(try #require(Decimal(parsing: "0.1"))), .decimal)
    #expect(try harness.evaluate(H.node(.compare(.equal, H.constant(.float(0.1), .float), tenth))) == ["false"])
    let padded = H.constant(.decimal(try #require(Decimal(parsing: "0.10"))), .decimal)
    #expect(try harness.evaluate(H.node(.compare(.equal, tenth, padded))) == ["true"])
    #expect(try harness.evaluate(H.node(.inValues(padded, [tenth]))) == ["true"])
    #expect(try harness.evaluate(H.node(.arithmetic(.add, tenth, padded), .decimal)) == ["0.20"])
  }

  @Test func floatSumsAreExact() {
    func sum(_ values: [Double]) -> Double? {
      var sum = FloatSum()
      for value in values { sum.add(value) }
      return sum.value()
    }
    #expect(sum([]) == 0)
    #expect(sum([1e16, 1, -1e16]) == 1)
    #expect(sum([1e308, 1e308, -1e308]) == 1e308)
    #expect(sum([1e308, 1e308]) == nil)
    #expect(sum(Array(repeating: 0.1, count: 10)) == 1)
    let least = Double.leastNonzeroMagnitude
    #expect(sum([least, least]) == least + least)
    #expect(sum([-1, 0.5]) == -0.5)
    #expect(sum([1, 0x1p-53]) == 1)
    #expect(sum([1, 0x1p-53, 0x1p-105]) == 1 + 0x1p-52)
    #expect(sum([.greatestFiniteMagnitude, 1]) == .greatestFiniteMagnitude)
    var generator = SeededGenerator(state: 7)
    for _ in 0..<100 {
      var values: [Double] = []
      for _ in 0..<50 {
        let exponent = Int.random(in: -300...300, using: &generator)
        values.append(
          Double(sign: .plus, exponent: exponent, significand: Double.random(in: -2...2, using: &generator)))
      }
      let expected = sum(values)
      values.shuffle(using: &generator)
      #expect(sum(values) == expected)
    }
  }

  // MARK: - Text

  @Test func textFunctionsAndPatterns() throws {
    let harness = try H([
      [.s: .string("Straße im Grünen")], [.s: .string("  ABC\u{3000}")], [.s: .null], [.s: .string("100%")],
    ])
    let s = H.column(.s)
    #expect(
      try harness.evaluate(H.node(.call(.upper, [s]), .string)) == [
        "\"STRASSE IM GRÜNEN\"", "\"  ABC\u{3000}\"", "null", "\"100%\"",
      ])
    #expect(
      try harness.evaluate(H.node(.call(.trim, [s]), .string)) == [
        "\"Straße im Grünen\"", "\"ABC\"", "null", "\"100%\"",
      ])
    #expect(try harness.evaluate(H.node(.call(.length, [s]), .int)) == ["16", "6", "null", "4"])
    #expect(
      try harness.evaluate(H.node(.compare(.equal, H.node(.fold(s), .string), text("strasse im grünen")))) == [
        "true", "false", "false", "false",
      ])
    func like(_ pattern: String, _ isCaseInsensitive: Bool) throws -> [String] {
      try harness.evaluate(H.node(.like(s, pattern: text(pattern), isCaseInsensitive: isCaseInsensitive)))
    }
    #expect(try like("%im%", false) == ["true", "false", "null", "false"])
    #expect(try like("STRASSE%", true) == ["true", "false", "null", "false"])
    #expect(try like("100\\%", false) == ["false", "false", "null", "true"])
    #expect(
      try harness.evaluate(H.node(.regex(s, pattern: text("^\\s+[A-C]+")))) == ["false", "true", "null", "false"])
    #expect(problem(harness, H.node(.regex(s, pattern: text("(")))) != nil)
    let slow = try H([[.s: .string(Text(String(repeating: "a", count: 40)))]])
    let catastrophic = H.node(.regex(s, pattern: text("^(a+)+$|(a*)*b")))
    _ = problem(slow, catastrophic)
  }

  @Test func containsFindsNeedlesAtEveryPlace() {
    var generator = SeededGenerator(state: 3)
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0...70, using: &generator)).map { _ in
        UInt8.random(in: 97...99, using: &generator)
      }
      let needle = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        UInt8.random(in: 97...99, using: &generator)
      }
      var expected = needle.isEmpty
      if text.count >= needle.count {
        for start in 0...(text.count - needle.count) where Array(text[start..<start + needle.count]) == needle {
          expected = true
        }
      }
      let found = text.withUnsafeBytes { text in
        needle.withUnsafeBytes { needle in
          let empty = UnsafeRawPointer(bitPattern: 64).unsafelyUnwrapped
          return TextSearch.test(
            .contains, text.baseAddress ?? empty, text.count, needle.baseAddress ?? empty, needle.count)
        }
      }
      #expect(found == expected)
    }
  }

  // MARK: - Lists and JSON

  @Test func listsTreatNullsAsValues() throws {
    let harness = try H([
      [.i: .int(2), .nums: .list([.int(1), .int(2)]), .tags: .list([.string("a"), .string("a longer text")])],
      [.i: .null, .nums: .list([.int(1), .null])], [.i: .int(7), .nums: .list([])], [.i: .int(7)],
    ])
    let i = H.column(.i)
    let nums = H.column(.nums)
    #expect(try harness.evaluate(H.node(.inList(i, nums))) == ["true", "true", "false", "false"])
    #expect(try harness.evaluate(H.node(.listContains(nums, i))) == ["true", "true", "false", "null"])
    #expect(try harness.evaluate(H.node(.element(nums, int(1)), .int)) == ["2", "null", "null", "null"])
    #expect(try harness.evaluate(H.node(.call(.length, [nums]), .int)) == ["2", "2", "0", "null"])
    #expect(try harness.evaluate(nums) == ["[1,2]", "[1,null]", "[]", "null"])
    #expect(try harness.evaluate(H.node(.compare(.equal, nums, nums))) == ["true", "true", "true", "true"])
    let asText = H.node(.cast(nums), .list(.string))
    #expect(try harness.evaluate(asText) == ["[\"1\",\"2\"]", "[\"1\",null]", "[]", "null"])
    #expect(try harness.evaluate(H.column(.tags))[0] == "[\"a\",\"a longer text\"]")
  }

  @Test func jsonPathsOrderAndEquality() throws {
    let harness = try H([
      [.js: .json("{\"a\":{\"b\":[10,null,\"x\"]},\"n\":1.0}")],
      [.js: .json("{\"n\":1,\"a\":{\"b\":[10,null,\"x\"]}}")],
      [.js: .json("[1,2]")], [.js: .null],
    ])
    let js = H.column(.js)
    let b = H.node(.jsonPath(H.node(.jsonPath(js, text("a")), .json), text("b")), .json)
    #expect(
      try harness.evaluate(b) == ["[10,null,\"x\"]", "[10,null,\"x\"]", "null", "null"])
    #expect(
      try harness.evaluate(H.node(.cast(H.node(.jsonPath(b, int(0)), .json)), .int)) == ["10", "10", "null", "null"])
    #expect(try harness.evaluate(H.node(.isNull(H.node(.jsonPath(b, int(1)), .json))))[0] == "true")
    #expect(problem(harness, H.node(.cast(H.node(.jsonPath(b, int(2)), .json)), .int))?.kind == .conversion(to: .int))
    let other = H.constant(.json("{\"n\":1,\"a\":{\"b\":[10,null,\"x\"]}}"), .json)
    #expect(try harness.evaluate(H.node(.compare(.equal, js, other))) == ["true", "true", "false", "false"])
    #expect(try harness.evaluate(H.node(.compare(.less, js, other))) == ["false", "false", "null", "null"])
    let object = H.node(.jsonObject(["n", "t"], [int(1), text("a \"b\"")]), .json)
    #expect(try harness.evaluate(object)[3] == "{\"n\":1,\"t\":\"a \\\"b\\\"\"}")
    #expect(
      try harness.evaluate(H.node(.jsonList([object, js]), .json))[3] == "[{\"n\":1,\"t\":\"a \\\"b\\\"\"},null]")
  }

  @Test func casts() throws {
    let harness = try H([[.s: .string("12")]])
    func cast(_ value: String, _ type: ValueType) -> String {
      (try? harness.evaluate(H.node(.cast(text(value)), type)).first) ?? "error"
    }
    #expect(cast("12", .int) == "12")
    #expect(cast("1.5", .int) == "error")
    #expect(cast("1.50", .decimal) == "1.50")
    #expect(cast("-2.5e1", .float) == "-25")
    #expect(cast("true", .boolean) == "true")
    #expect(cast("yes", .boolean) == "error")
    #expect(cast("2026-01-31", .scalar(.date)) == "\"2026-01-31\"")
    #expect(cast("ACTIVE", .enumeration(H.status)) == "\"ACTIVE\"")
    #expect(cast("OTHER", .enumeration(H.status)) == "error")
    let status = H.constant(.enumeration(H.status, code: 2), .enumeration(H.status))
    #expect(try harness.evaluate(H.node(.cast(status), .string)) == ["\"GONE\""])
    #expect(try harness.evaluate(H.node(.convert(H.column(.id)), .string)) == ["\"0\""])
    #expect(try harness.evaluate(H.column(.id)) == ["0"])
  }

  // MARK: - Parameters

  @Test func parametersAreReadAgainInEveryRun() throws {
    let range = SourceRange(at: 0)
    let harness = try H(
      (0..<10).map { [.i: .int(Int64($0))] },
      parameters: [
        BoundParameter(name: "n", signature: TypeSignature(.int), defaultValue: nil, range: range),
        BoundParameter(name: "list", signature: TypeSignature(.list(.int)), defaultValue: nil, range: range),
      ])
    let n = H.node(.parameter(0), .int)
    let program = H.node(.compare(.greaterOrEqual, H.column(.i), n))
    let member = H.node(.inList(H.column(.i), H.node(.parameter(1), .list(.int))))
    harness.bind([.int(8), .list([1, 3, 5, 7, 9, 11].map { .int($0) })])
    #expect(try harness.filterPages(program).rows == [8, 9])
    #expect(try harness.filterPages(program).count == 2)
    #expect(try harness.filter(member) == [1, 3, 5, 7, 9])
    harness.bind([.null, .list([.int(2)])])
    #expect(try harness.filterPages(program).rows == [])
    #expect(try harness.filter(member) == [2])
    harness.bind([.int(9), nil])
    #expect(try harness.filterPages(program).count == 1)
    #expect(try harness.filter(member) == [])
  }

  // MARK: - Sets

  @Test func quantifiersAndAggregatesOverASet() throws {
    // Rows 1, 2 and 3 point at row 0; 4 points at 1.
    let harness = try H(
      [
        [.i: .int(10), .f: .float(0.5)], [.i: .int(1), .f: .float(1e16), .s: .string("b")],
        [.i: .int(2), .f: .float(1), .s: .string("a")], [.i: .null, .f: .float(-1e16), .s: .string("b")],
        [.i: .int(.max), .f: .null, .s: .null],
      ], links: [nil, 0, 0, 0, 1])
    let set = SetID(0)
    let inner = H.column(.i)
    let outer = H.node(.column(.scope(1, H.type), ColumnID(H.Column.i.rawValue)), .int)
    func test(_ quantifier: Quantifier, _ predicate: BoundExpression?) throws -> [String] {
      try harness.evaluate(H.node(.quantifier(quantifier, set, predicate)))
    }
    #expect(try test(.exists, nil) == ["true", "true", "false", "false", "false"])
    #expect(try test(.one, nil) == ["false", "true", "false", "false", "false"])
    let isOne = H.node(.compare(.equal, inner, int(1)))
    #expect(try test(.some, isOne) == ["true", "false", "false", "false", "false"])
    #expect(try test(.none, isOne) == ["false", "true", "true", "true", "true"])
    #expect(try test(.one, isOne) == ["true", "false", "false", "false", "false"])
    // The null is neither below 10 nor not.
    let isBelowOuter = H.node(.compare(.less, inner, outer))
    #expect(try test(.every, isBelowOuter) == ["false", "false", "true", "true", "true"])
    #expect(try test(.some, isBelowOuter) == ["true", "false", "false", "false", "false"])

    func aggregate(_ aggregate: Aggregate, _ column: H.Column, _ type: ValueType) throws -> [String] {
      try harness.evaluate(H.node(.aggregate(aggregate, set, H.column(column)), type), rows: [0, 1, 2])
    }
    #expect(try harness.evaluate(H.node(.aggregate(.count, set, nil), .int)) == ["3", "1", "0", "0", "0"])
    #expect(try aggregate(.sum, .i, .int) == ["3", "9223372036854775807", "0"])
    #expect(try aggregate(.avg, .i, .float)[0] == "1.5")
    #expect(try aggregate(.avg, .i, .float)[2] == "null")
    #expect(try aggregate(.sum, .f, .float) == ["1", "0", "0"])
    #expect(try aggregate(.min, .s, .string) == ["\"a\"", "null", "null"])
    #expect(try aggregate(.max, .i, .int) == ["2", "9223372036854775807", "null"])
    #expect(try aggregate(.first, .s, .string) == ["\"b\"", "null", "null"])
    #expect(try aggregate(.collect, .i, .list(.int)) == ["[1,2]", "[9223372036854775807]", "[]"])
    #expect(try aggregate(.distinct, .s, .list(.string)) == ["[\"b\",\"a\"]", "[]", "[]"])
    let double = H.node(.arithmetic(.multiply, inner, int(2)), .int)
    #expect(
      try harness.evaluate(H.node(.aggregate(.sum, set, double), .int), rows: [0, 2]) == ["6", "0"])
    #expect(problem(harness, H.node(.aggregate(.sum, set, double), .int))?.entity?.row == 4)
  }

  @Test func predicatesOverMoreMembersThanABatch() throws {
    let count = 3000
    let harness = try H(
      (0..<count).map { [.i: .int(Int64($0))] }, links: (0..<count).map { $0 == 0 ? nil : $0 < 2500 ? 0 : 1 })
    let isLast = H.node(.compare(.equal, H.column(.i), int(2999)))
    let results = try harness.evaluate(H.node(.quantifier(.some, SetID(0), isLast)), rows: [0, 1, 2])
    #expect(results == ["false", "true", "false"])
    let sums = try harness.evaluate(H.node(.aggregate(.sum, SetID(0), H.column(.i)), .int), rows: [0, 1, 2])
    #expect(sums == ["\(2499 * 2500 / 2)", "\((2500..<3000).reduce(0, +))", "0"])
  }

  // MARK: - Order

  @Test func imagesAgreeWithTheOrder() throws {
    var generator = SeededGenerator(state: 11)
    let pool = CellPool()
    let texts = [
      "", "a", "ab", "abcdefg", "abcdefgh", "abcdefgi", "abcdefghijklmnop", "abcdefghijklmnoq", "ä", "a\u{0}", "Z",
    ]
    let ids = [
      "0", "7", "10", "-3", "-12", "007", "x", "", "99999999999999999999", "100000000000000000000",
      "-99999999999999999999", "A1",
    ]
    let decimals = ["0", "1.5", "1.50", "-2", "1000000000000000000000", "0.000000001", "-0.1"]
    func cells(_ type: ValueType) -> [Cell?] {
      let values: [Value] =
        switch type {
        case .scalar(.int): [.null, .int(.min), .int(.max), .int(0), .int(-1), .int(5)]
        case .scalar(.float): [.null, .float(0), .float(-0.0), .float(-1.5), .float(1e300), .float(-1e-300)]
        case .scalar(.id): ids.map { .id(Text($0), isNumber: false) } + [.null]
        case .scalar(.decimal): decimals.compactMap { Decimal(parsing: $0).map { .decimal($0) } } + [.null]
        default: texts.map { .string(Text($0)) } + [.null]
        }
      return values.shuffled(using: &generator).map { pool.cell($0, type) }
    }
    for type in [.int, .float, .id, .decimal, .string] as [ValueType] {
      let cells = cells(type)
      let values = UnsafeMutablePointer<Cell>.allocate(capacity: cells.count)
      let words = UnsafeMutablePointer<UInt64>.allocate(capacity: cells.count)
      let validity = UnsafeMutablePointer<UInt8>.allocate(capacity: cells.count)
      let images = UnsafeMutablePointer<UInt64>.allocate(capacity: cells.count)
      defer {
        values.deallocate()
        words.deallocate()
        validity.deallocate()
        images.deallocate()
      }
      for (index, cell) in cells.enumerated() {
        values[index] = cell ?? Cell(low: 0)
        words[index] = cell?.low ?? 0
        validity[index] = cell == nil ? 0 : 1
      }
      let kind = Vector.Kind(type)
      let memory = kind == .wide ? UnsafeMutableRawPointer(values) : UnsafeMutableRawPointer(words)
      let vector = Vector(kind: kind, values: memory, validity: validity)
      for (descending, nullsFirst) in [(false, false), (true, false), (false, true), (true, true)] {
        let isExact = CellOrder.images(
          vector, count: cells.count, type: type, descending: descending, nullsFirst: nullsFirst, into: images)
        for (i, left) in cells.enumerated() {
          for (j, right) in cells.enumerated() {
            var order: Int
            switch (left, right) {
            case (nil, nil): order = 0
            case (nil, _): order = nullsFirst ? -1 : 1
            case (_, nil): order = nullsFirst ? 1 : -1
            case (let left?, let right?):
              order = CellOrder.compare(left, right, type)
              if descending { order = -order }
            }
            if images[i] < images[j] { #expect(order < 0, "\(type) \(i) \(j)") }
            if isExact, images[i] == images[j] { #expect(order == 0, "\(type) \(i) \(j)") }
          }
        }
      }
    }
    // Integers by value before all others by bytes.
    let sorted = ids.compactMap { id in pool.cell(.id(Text(id), isNumber: false), .id).map { (id, $0) } }
      .sorted { CellOrder.compare($0.1, $1.1, .id) < 0 }.map(\.0)
    #expect(
      sorted == [
        "-99999999999999999999", "-12", "-3", "0", "7", "10", "99999999999999999999", "100000000000000000000", "",
        "007", "A1", "x",
      ])
  }
}

extension ExpressionTests {
  @Test func setsOfWordsNearAndFar() throws {
    let numbers: [Int64] = [.min, -70_000, -1, 0, 1, 63, 64, 65_535, 65_536, 70_000, .max]
    let harness = try H(numbers.map { [.i: .int($0)] } + [[.i: .null]])
    for chosen in [[0, 64, 63], [.min, .max, 0, 1, -70_000], [65_535, 0], [65_536, 0], []] as [[Int64]] {
      for containsNull in [false, true] {
        var constants = chosen.map { H.constant(.int($0), .int) }
        if containsNull { constants.append(H.constant(.null, .int)) }
        let results = try harness.evaluate(H.node(.inValues(H.column(.i), constants)))
        #expect(results == numbers.map { chosen.contains($0) ? "true" : "false" } + [containsNull ? "true" : "false"])
      }
    }
  }
}

extension ExpressionTests {
  @Test func bareNullsAreUnknown() throws {
    let harness = try H((0..<20).map { [.b: .boolean($0 % 2 == 0)] })
    let null = H.constant(.null, .null)
    #expect(try harness.filter(null) == [])
    #expect(try harness.filterPages(null).count == 0)
    let or = H.node(.or([H.column(.b), null]))
    #expect(try harness.filter(or) == (0..<10).map { $0 * 2 })
    #expect(try harness.evaluate(H.node(.not(null)))[0] == "null")
    #expect(try harness.evaluate(H.node(.isTrue(null)))[0] == "false")
    #expect(try harness.evaluate(H.node(.compare(.equal, H.column(.b), null)))[0] == "false")
    #expect(try harness.evaluate(H.node(.conditional([null, H.column(.b)])))[0] == "null")
  }
}
