import GQLBase
import GQLStore
import Testing

@testable import GQLExecutor

/// JSON is compared and hashed as a comparison of trees has it.
@Suite struct JSONOrderTests {
  private let arena = ScratchArena()

  private func cell(_ text: String) -> Cell {
    let bytes = Array(text.utf8)
    let copy = arena.allocate(bytes.count)
    copy.copyMemory(from: bytes, byteCount: bytes.count)
    return TextView(copy, count: bytes.count).cell
  }

  private static func rank(_ value: JSONValue) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .number: 2
    case .string: 3
    case .array: 4
    case .object: 5
    }
  }

  /// The definition.
  private static func compare(_ left: JSONValue, _ right: JSONValue) -> Int {
    switch (left, right) {
    case (.bool(let a), .bool(let b)): return a == b ? 0 : a ? 1 : -1
    case (.number(let a), .number(let b)):
      guard let a = Decimal(parsing: a.string), let b = Decimal(parsing: b.string) else { return 0 }
      return compareExactly(a, b)
    case (.string(let a), .string(let b)): return Text.compare(a, b)
    case (.array(let a), .array(let b)):
      for (first, second) in zip(a, b) {
        let order = compare(first, second)
        if order != 0 { return order }
      }
      return a.count - b.count
    case (.object(let a), .object(let b)):
      let first = a.sorted { $0.key < $1.key }
      let second = b.sorted { $0.key < $1.key }
      for (mine, theirs) in zip(first, second) {
        let names = Text.compare(mine.key, theirs.key)
        if names != 0 { return names }
        let order = compare(mine.value, theirs.value)
        if order != 0 { return order }
      }
      return first.count - second.count
    default: return rank(left) - rank(right)
    }
  }

  private static let numbers = ["0", "-0", "1", "1.0", "10e-1", "2", "-1", "0.5", "5e-1", "100"]
  private static let strings = [
    "", "a", "\\u0061", "ab", "é", "\\u00E9", "e\\u0301", "\\n", "\\/", "/", "😀", "\\uD83D\\uDE00", "\\\"",
    "longer than eight",
  ]

  private static func text(_ depth: Int, _ random: inout some RandomNumberGenerator) -> String {
    let space = ["", "", "", " ", "\n\t"].randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
    case 0: return "null" + space
    case 1: return Bool.random(using: &random) ? "true" : space + "false"
    case 2, 3: return (numbers.randomElement(using: &random) ?? "") + space
    case 4, 5: return string(&random)
    case 6, 7:
      let elements = (0..<Int.random(in: 0..<4, using: &random)).map { _ in text(depth - 1, &random) }
      return "[" + space + elements.joined(separator: ",") + "]" + space
    default:
      var members = (0..<Int.random(in: 0..<4, using: &random)).map { number in
        // Names occur once.
        "\"" + (["a", "\\u0061\\u00e9", "b\\n", "\\ud83d\\ude00", "zzzzzzzzzzzz"][number]) + "\"" + space + ":"
          + text(depth - 1, &random)
      }
      members.shuffle(using: &random)
      return "{" + members.joined(separator: "," + space) + "}"
    }
  }

  private static func string(_ random: inout some RandomNumberGenerator) -> String {
    "\"" + (strings.randomElement(using: &random) ?? "") + "\""
  }

  @Test("random values have the order of their trees, and equal hashes where they are equal") func random() throws {
    var random = SystemRandomNumberGenerator()
    let hash = JSONHash(1)
    var equal = 0
    for _ in 0..<4000 {
      let left = Self.text(3, &random)
      let right = Bool.random(using: &random) ? Self.text(3, &random) : try shuffled(left, &random)
      let expected = Self.compare(try JSONValue.parse(Array(left.utf8)), try JSONValue.parse(Array(right.utf8)))
      let (a, b) = (cell(left), cell(right))
      #expect(JSONOrder.compare(a, b, nil).signum() == expected.signum(), "\(left) \(right)")
      #expect(JSONOrder.compare(b, a, nil).signum() == -expected.signum(), "\(right) \(left)")
      if expected == 0 {
        equal += 1
        #expect(hash.hash(a) == hash.hash(b), "\(left) \(right)")
      }
    }
    #expect(equal > 1000)
  }

  /// The same value written otherwise.
  private func shuffled(_ text: String, _ random: inout some RandomNumberGenerator) throws -> String {
    func other(_ value: JSONValue) -> JSONValue {
      switch value {
      case .array(let elements): return .array(elements.map(other))
      case .object(let members):
        return .object(members.map { JSONValue.Member($0.key, other($0.value)) }.shuffled(using: &random))
      default: return value
      }
    }
    return other(try JSONValue.parse(Array(text.utf8))).json
  }

  @Test("values of a hundred thousand levels") func deep() {
    let levels = 100_000
    func nested(_ inner: String) -> Cell {
      cell(String(repeating: "{\"b\":0,\"a\":[", count: levels) + inner + String(repeating: "]}", count: levels))
    }
    let one = nested("{\"x\":1,\"y\":2}")
    let same = nested("{\"y\":2.0,\"x\":1}")
    let other = nested("{\"y\":3,\"x\":1}")
    #expect(JSONOrder.isEqual(one, same, nil) && !JSONOrder.isEqual(one, other, nil))
    #expect(JSONOrder.compare(one, other, nil) < 0 && JSONOrder.compare(other, same, nil) > 0)
    #expect(JSONHash(1).hash(one) == JSONHash(1).hash(same) && JSONHash(1).hash(one) != JSONHash(1).hash(other))
    #expect(JSONOrder.compare(cell("true"), one, nil) < 0 && !JSONOrder.isOrdered(cell("true"), one))
  }

  @Test(
    "what is no JSON leads to no end and no crash",
    arguments: [
      "", "[", "{", "[1,", "{\"a\"", "{\"a\":", "\"", "\"\\", "\"\\u12", "x", "[x]", "{]", "{\"a\":1]", "[}", "}",
      "{\"a\"1}", "[,]",
    ])
  func broken(_ text: String) {
    for other in [text, "[1,2]", "{\"a\":1}", "\"\\u0061\"", text + " "] {
      _ = JSONOrder.compare(cell(text), cell(other), nil)
      _ = JSONOrder.compare(cell(other), cell(text), nil)
      _ = JSONHash(1).hash(cell(text))
    }
  }
}
