import GQLBase
import GQLDifferential
import GQLEngine
import GQLLexer

/// A maker of inputs: golden documents with tokens, bracketed parts, bytes or lines changed.
///
/// Most changes put a token or a part in the place of another of its kind, out of a document over the same schema, so
/// that a good part of the inputs still means something.
package struct DocumentMutator: Sendable {
  /// Kinds of tokens that stand in the same places.
  private enum Kind: Hashable { case name, number, string, comparison, arithmetic, logic, other(TokenKind) }

  private struct Seed: Sendable {
    var bytes: [UInt8]
    var tokens: [Range<Int>] = []
    var kinds: [Kind] = []
    /// Ranges of token numbers from an opening bracket to its closing one.
    var groups: [ClosedRange<Int>] = []
    var dialect: QueryDialect
    var variables: [UInt8]?
    /// Documents over one schema have one number.
    var family: Int
  }

  private struct Family: Sendable {
    var tokens: [Kind: [[UInt8]]] = [:]
    var groups: [UInt8: [[UInt8]]] = [:]
  }

  private let seeds: [Seed]
  private let families: [Family]
  /// Distinct tokens of all documents, and texts that are on some border.
  private let dictionary: [[UInt8]]

  private static let borders: [String] = [
    "0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e308", "1e-320", "1e999",
    "0.1", "99999999999999999999999999999999999999.9", "null", "true", "[]", "{}", "\"\"", "\"\\u0000\"", "\"\\ud800\"",
    "\"\u{1F468}\u{200D}\u{1F469}\"", "\"0001-01-01T00:00:00Z\"", "\"9999-12-31\"", "\"P999999999D\"", "\"(a+)+b\"",
    "\"(?=(a+))a*b\\\\1\"", "\"%_%\"", "not", "and", "or", "in", "is", "like", "matches", "^", "^^", "_", "...",
    "@include(if: $x)",
    "@recurse", "@expand(levels: [ENTITIES, IDS])", "let x := 1", "groupBy: id", "having: count() > 0",
    "distinctOn: id",
    "orderBy: -id", "limit: 0", "offset: 9223372036854775807", "where: null", "deleted: INCLUDE", "after: \"x\"",
    "if(", "count(", "sum(", "avg(", "min(", "max(", "first(", "last(", "some(", "every(", "none(", "collect(",
    "closure(",
    "shortestPath(", "coalesce(", "try(", "padStart(", "repeat(", "split(", "now()", "a: ", "b := ",
    "func f(n: Int) = n\n",
    "fragment F($a: Int = 1) on User { id }", "...F(a: 2)", "mutation ", "query ($x: Int = 1) ", "subscription ",
    "extend type User { extra: Int }", "input I { a: Int! }", "directive @mark on FIELD", "\u{FEFF}", "\u{0}", "#\n",
    "\"\"\"",
  ]

  package init(_ corpus: FuzzCorpus) {
    var known: Set<[UInt8]> = Set(Self.borders.map { Array($0.utf8) })
    var numbers: [String: Int] = [:]
    var seeds: [Seed] = []
    var families: [Family] = []
    for golden in corpus.seeds {
      let name = golden.schema?.name ?? golden.path
      let family = numbers[name] ?? families.count
      if family == families.count {
        numbers[name] = family
        families.append(Family())
      }
      let seed = Self.seed(golden, family)
      for (token, kind) in zip(seed.tokens, seed.kinds) {
        let bytes = Array(seed.bytes[token])
        if bytes.count < 40 { known.insert(bytes) }
        families[family].tokens[kind, default: []].append(bytes)
      }
      for group in seed.groups {
        let range = seed.tokens[group.lowerBound].lowerBound..<seed.tokens[group.upperBound].upperBound
        if range.count < 400 {
          families[family].groups[seed.bytes[range.lowerBound], default: []].append(Array(seed.bytes[range]))
        }
      }
      seeds.append(seed)
    }
    self.seeds = seeds
    self.families = families
    // Sorted, so that a number gives one input in every run.
    dictionary = known.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func seed(_ golden: FuzzSeed, _ family: Int) -> Seed {
    var seed = Seed(bytes: golden.bytes, dialect: golden.dialect, variables: golden.variables, family: family)
    let buffer = tokenize(SourceText(name: "seed", bytes: seed.bytes)).output
    var open: [Int] = []
    for place in 0..<buffer.count {
      let range = Int(buffer.starts[place])..<Int(buffer.ends[place])
      guard !range.isEmpty else { continue }
      switch buffer.kinds[place] {
      case .leftParenthesis, .leftBracket, .leftBrace: open.append(seed.tokens.count)
      case .rightParenthesis, .rightBracket, .rightBrace:
        if let first = open.popLast() { seed.groups.append(first...seed.tokens.count) }
      default: break
      }
      seed.tokens.append(range)
      seed.kinds.append(kind(buffer.kinds[place], seed.bytes[range]))
    }
    return seed
  }

  private static let logic: Set<String> = ["and", "or", "not"]
  private static let comparisons: Set<String> = [
    "in", "is", "like", "ilike", "contains", "startsWith", "endsWith", "matches",
  ]

  private static func kind(_ kind: TokenKind, _ bytes: ArraySlice<UInt8>) -> Kind {
    switch kind {
    case .name, .quotedName:
      let text = String(decoding: bytes, as: UTF8.self)
      return logic.contains(text) ? .logic : comparisons.contains(text) ? .comparison : .name
    case .int, .float: return .number
    case .string, .blockString: return .string
    case .equal, .notEqual, .match, .notMatch, .less, .lessOrEqual, .greater, .greaterOrEqual: return .comparison
    case .plus, .star, .slash, .percent, .coalesce: return .arithmetic
    case .and, .or: return .logic
    default: return .other(kind)
    }
  }

  /// Returns the input of a number. The same corpus and the same number give the same input.
  package func input(_ number: UInt64) -> FuzzInput {
    var random = SeededRandom(seed: number &* 0x9E37_79B9_7F4A_7C15)
    let place = random.below(seeds.count)
    let seed = seeds[place]
    var input = FuzzInput(
      bytes: seed.bytes, dialect: seed.dialect, variables: seed.variables, seed: place, choice: random.next())
    // The places of tokens are those of the unchanged document, so only the first change goes by them.
    if random.chance(70) {
      changeInKind(&input.bytes, seed, &random)
      if random.chance(20) { changeBytes(&input.bytes, &random) }
    } else {
      var rounds = 1 + random.below(random.chance(30) ? 6 : 2)
      if random.chance(60), changeToken(&input.bytes, seed.tokens, &random) { rounds -= 1 }
      for _ in 0..<rounds { changeBytes(&input.bytes, &random) }
    }
    if random.chance(10) { input.dialect = random.pick([.extended, .graphql, .graphqlStrict]) }
    if var variables = input.variables, random.chance(20) {
      changeBytes(&variables, &random)
      input.variables = variables
    }
    return input
  }

  /// Puts tokens and bracketed parts in the places of others of their kinds, from the last place to the first.
  private func changeInKind(_ bytes: inout [UInt8], _ seed: Seed, _ random: inout SeededRandom) {
    guard !seed.tokens.isEmpty else { return changeBytes(&bytes, &random) }
    let family = families[seed.family]
    var limit = Int.max
    let places = (0..<(1 + random.below(4))).map { _ in random.below(seed.tokens.count) }.sorted(by: >)
    for place in places where seed.tokens[place].upperBound <= limit {
      let token = seed.tokens[place]
      if random.chance(35), let group = seed.groups.first(where: { $0.contains(place) }),
        seed.tokens[group.upperBound].upperBound <= limit
      {
        let range = seed.tokens[group.lowerBound].lowerBound..<seed.tokens[group.upperBound].upperBound
        let source = random.chance(80) ? family : families[random.below(families.count)]
        if let other = source.groups[bytes[range.lowerBound]]?.randomElement(using: &random) {
          bytes.replaceSubrange(range, with: other)
          limit = range.lowerBound
        }
        continue
      }
      let source = random.chance(80) ? family : families[random.below(families.count)]
      if case .number = seed.kinds[place], random.chance(30) {
        bytes.replaceSubrange(token, with: Array(random.pick(Self.numbers).utf8))
      } else if let other = source.tokens[seed.kinds[place]]?.randomElement(using: &random) {
        bytes.replaceSubrange(token, with: [0x20] + other + [0x20])
      }
      limit = token.lowerBound
    }
  }

  private static let numbers = [
    "0", "-1", "1", "2147483648", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e308", "0.1",
    "1e-320", "99999999999999999999999999999999999999.9",
  ]

  /// Changes whole tokens; false where there are none.
  private func changeToken(_ bytes: inout [UInt8], _ tokens: [Range<Int>], _ random: inout SeededRandom) -> Bool {
    guard !tokens.isEmpty else { return false }
    let place = random.below(tokens.count)
    let token = tokens[place]
    switch random.below(9) {
    case 0: bytes.removeSubrange(token)
    case 1: bytes.replaceSubrange(token, with: random.pick(dictionary))
    case 2: bytes.insert(contentsOf: [0x20] + random.pick(dictionary) + [0x20], at: token.lowerBound)
    case 3: bytes.replaceSubrange(token, with: Array(random.pick(Self.borders).utf8))
    case 4:
      // Exchanges two tokens, the later one first, so that the earlier place stays right.
      let other = tokens[random.below(tokens.count)]
      let (low, high) = token.lowerBound <= other.lowerBound ? (token, other) : (other, token)
      let (first, second) = (Array(bytes[low]), Array(bytes[high]))
      guard low.upperBound <= high.lowerBound else { return true }
      bytes.replaceSubrange(high, with: first)
      bytes.replaceSubrange(low, with: second)
    case 5:
      // Repeats a run of tokens.
      let last = tokens[min(tokens.count - 1, place + random.below(12))]
      let run = Array(bytes[token.lowerBound..<last.upperBound])
      let times = random.chance(3) ? 1 + random.below(300) : 1 + random.below(3)
      var copies: [UInt8] = []
      for _ in 0..<times { copies += [0x20] + run + [0x20] }
      bytes.insert(contentsOf: copies, at: random.chance(50) ? token.lowerBound : last.upperBound)
    case 6:
      // Takes a run of tokens out.
      let last = tokens[min(tokens.count - 1, place + random.below(8))]
      bytes.removeSubrange(token.lowerBound..<last.upperBound)
    case 7:
      // Puts a run of another document here.
      let other = seeds[random.below(seeds.count)]
      guard !other.tokens.isEmpty else { return true }
      let first = random.below(other.tokens.count)
      let last = min(other.tokens.count - 1, first + random.below(15))
      let run = other.bytes[other.tokens[first].lowerBound..<other.tokens[last].upperBound]
      bytes.insert(contentsOf: [0x20] + run + [0x20], at: token.lowerBound)
    default:
      // Wraps a run of tokens.
      let last = tokens[min(tokens.count - 1, place + random.below(6))]
      let (opening, closing) = random.pick([
        ("(", ")"), ("[", "]"), ("{", "}"), ("not (", ")"), ("if(true, ", ", null)"), ("-(", ")"),
      ])
      let depth = random.chance(5) ? 1 + random.below(60) : 1
      bytes.insert(contentsOf: Array(String(repeating: closing, count: depth).utf8), at: last.upperBound)
      bytes.insert(contentsOf: Array(String(repeating: opening, count: depth).utf8), at: token.lowerBound)
    }
    return true
  }

  private static let interesting: [UInt8] =
    Array("{}[]()\"\\:;,.$@!?^=<>~&|+-*/%_#eE09xu \n\r\t".utf8) + [0, 0x7F, 0x80, 0xC3, 0xED, 0xF0, 0xFF]

  private func changeBytes(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    guard !bytes.isEmpty else {
      bytes = random.pick(dictionary)
      return
    }
    let place = random.below(bytes.count)
    switch random.below(7) {
    case 0: bytes[place] = random.pick(Self.interesting)
    case 1: bytes.insert(random.pick(Self.interesting), at: place)
    case 2: bytes.remove(at: place)
    case 3: bytes.removeLast(random.below(bytes.count))
    case 4:
      let end = min(bytes.count, place + random.below(60))
      bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count))
    case 5: bytes.insert(contentsOf: random.pick(dictionary), at: place)
    default: bytes[place] ^= UInt8(1 << random.below(8))
    }
  }
}
