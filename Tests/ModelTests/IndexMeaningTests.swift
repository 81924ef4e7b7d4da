import Foundation
import GQLiteModels
import Testing

/// One meaning with an index and without: random conditions and orders over twins, of which one has every index.
@Suite struct IndexMeaningTests {
  enum Color: String, CaseIterable { case red, green, blue }

  @EntityModel
  struct Indexed: Twin {
    @Index<Self>(\.number) private var numbers
    @Index<Self>(\.number, \.text) private var both
    @HashIndex<Self>(\.text) private var texts
    @HashIndex<Self>(\.color) private var colors
    @HashIndex<Self>(\.maybe) private var maybes
    @FullTextIndex<Self>(\.text) private var words

    let id: Int
    var number: Int
    var text: String
    var color: Color
    var maybe: String?
  }

  @EntityModel
  struct Bare: Twin {
    let id: Int
    var number: Int
    var text: String
    var color: Color
    var maybe: String?
  }

  protocol Twin: EntityModelProtocol where ID == Int {
    var number: Int { get }
    var text: String { get }
    var color: Color { get }
    var maybe: String? { get }
    static var paths: Paths<Self> { get }
  }

  /// Key paths of the type itself; those of the protocol's requirements are others.
  struct Paths<Entity: EntityModelProtocol> {
    let number: KeyPath<Entity, Int> & Sendable
    let falling: KeyPath<Entity, _Descending<Int>> & Sendable
    let text: KeyPath<Entity, String> & Sendable
    let color: KeyPath<Entity, Color> & Sendable
    let maybe: KeyPath<Entity, String?> & Sendable
  }

  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private static let words = ["to", "go to", "shop", "GO", "a shop", "", "o t", "swift shops", "ß", "👩‍👧 shop"]

  private func predicate<Entity: Twin>(
    _ type: Entity.Type, _ random: inout Random, depth: Int = 2
  ) -> QueryPredicate<Entity> {
    let paths = Entity.paths
    let (number, word) = (Int.random(in: 0..<12, using: &random), Self.words.randomElement(using: &random) ?? "")
    let maybe = Bool.random(using: &random) ? nil : word
    let color = Color.allCases.randomElement(using: &random) ?? .red
    let isSensitive = Bool.random(using: &random)
    switch Int.random(in: 0..<(depth > 0 ? 18 : 15), using: &random) {
    case 0: return paths.number == number
    case 1: return paths.number != number
    case 2: return paths.number < number
    case 3: return paths.number >= number
    case 4: return paths.text == word
    case 5: return paths.text > word
    case 6: return paths.color == color
    case 7: return paths.color != color
    case 8: return paths.maybe == maybe
    case 9: return paths.maybe != maybe
    case 10: return .string(paths.text, contains: word, caseSensitive: isSensitive)
    case 11: return .string(paths.text, hasPrefix: word, caseSensitive: isSensitive)
    case 12: return .string(paths.maybe, hasSuffix: word, caseSensitive: isSensitive)
    case 13: return .string(paths.text, notHavingPrefix: word, caseSensitive: isSensitive)
    case 14: return .string(paths.maybe, notContains: word, caseSensitive: isSensitive)
    case 15: return !predicate(type, &random, depth: depth - 1)
    case 16: return predicate(type, &random, depth: depth - 1) && predicate(type, &random, depth: depth - 1)
    default: return predicate(type, &random, depth: depth - 1) || predicate(type, &random, depth: depth - 1)
    }
  }

  private func ids<Entity: Twin>(_ type: Entity.Type, seed: UInt64, _ context: Context) -> [Int] {
    var random = Random(state: seed)
    let predicate = predicate(type, &random)
    var list = Entity.filter(predicate)
    let paths = Entity.paths
    switch Int.random(in: 0..<5, using: &random) {
    case 0: list = list.sorted(by: paths.number)
    case 1: list = list.sorted(by: paths.number, paths.text)
    case 2: list = list.sorted(by: paths.falling)
    case 3: list = list.sorted(by: paths.text)
    default: break
    }
    if Bool.random(using: &random) {
      list = list.limit(Int.random(in: 0..<8, using: &random), offset: Int.random(in: 0..<3, using: &random))
    }
    return list.resolve(in: context).map(\.id)
  }

  /// Also what the condition says in Swift of each entity is the same.
  @Test func sameAnswers() throws {
    var context = try Context(for: Indexed.self, Bare.self)
    var random = Random(state: 42)
    func change(_ id: Int) throws {
      let number = Int.random(in: 0..<12, using: &random)
      let text = Self.words.randomElement(using: &random) ?? ""
      let color = Color.allCases.randomElement(using: &random) ?? .red
      let maybe = Bool.random(using: &random) ? nil : Self.words.randomElement(using: &random)
      try Indexed(id: id, number: number, text: text, color: color, maybe: maybe).save(to: &context)
      try Bare(id: id, number: number, text: text, color: color, maybe: maybe).save(to: &context)
    }
    for round in 0..<6 {
      for id in 0..<60 where Int.random(in: 0..<3, using: &random) > 0 { try change(id) }
      for id in 0..<60 where Int.random(in: 0..<8, using: &random) == 0 {
        try Indexed.delete(id: id, from: &context)
        try Bare.delete(id: id, from: &context)
      }
      #expect(context.ids(Indexed.self) == context.ids(Bare.self))
      for number in 0..<150 {
        let seed = UInt64(round * 1_000 + number)
        #expect(ids(Indexed.self, seed: seed, context) == ids(Bare.self, seed: seed, context), "seed \(seed)")
      }
    }
  }

  /// Evaluated by columns and evaluated in Swift, which a residual condition beside them brings about.
  @Test func sameInSwift() throws {
    var context = try Context(for: Bare.self)
    var random = Random(state: 7)
    for id in 0..<80 {
      try Bare(
        id: id, number: Int.random(in: 0..<12, using: &random), text: Self.words.randomElement(using: &random) ?? "",
        color: Color.allCases.randomElement(using: &random) ?? .red,
        maybe: Bool.random(using: &random) ? nil : Self.words.randomElement(using: &random)
      ).save(to: &context)
    }
    for seed in 0..<400 {
      var first = Random(state: UInt64(seed))
      let condition = predicate(Bare.self, &first)
      // What columns cannot tell makes the whole of `||` a matter of Swift.
      let residual = condition || \.text.count == -1
      #expect(
        Bare.filter(condition).resolve(in: context).map(\.id) == Bare.filter(residual).resolve(in: context).map(\.id),
        "seed \(seed)")
    }
  }
}

extension IndexMeaningTests.Indexed {
  static var paths: IndexMeaningTests.Paths<Self> {
    IndexMeaningTests.Paths(number: \.number, falling: \.number.desc, text: \.text, color: \.color, maybe: \.maybe)
  }
}

extension IndexMeaningTests.Bare {
  static var paths: IndexMeaningTests.Paths<Self> {
    IndexMeaningTests.Paths(number: \.number, falling: \.number.desc, text: \.text, color: \.color, maybe: \.maybe)
  }
}
