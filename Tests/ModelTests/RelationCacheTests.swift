import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

@EntityModel
private struct Parent {
  let id: Int
  @Relationship(inverse: \.parent) var kids: [Kid]?
}

@EntityModel
private struct Kid {
  let id: Int
  var flag: Bool
  @Relationship(inverse: \.kids) var parent: Parent?
  @Relationship(inverse: \.kid) var toys: [Toy]?

  var siblings: Int { parent?.kids?.count ?? 0 }
  var last: Int { parent?.kids?.first?.parent?.kids?.last?.id ?? 0 }
  var prices: Int {
    priced.withLock { $0 += 1 }
    return (toys ?? []).reduce(0) { $0 + $1.price }
  }
}

@EntityModel
private struct Toy {
  let id: Int
  var price: Int
  @Relationship(inverse: \.toys) var kid: Kid?
}

@EntityModel
private struct Ring {
  let id: Int
  @Relationship var next: Ring? = nil
}

/// How often a computed property was asked for.
private let priced = GQLiteModels.Guarded(0)

/// What conditions and orders in Swift look at is read once, however many of the entities lead to it.
@Suite(.serialized) struct RelationCacheTests {
  private static let families = GQLiteModels.Guarded<[Int: Context]>([:])

  private func family(_ count: Int) throws -> Context {
    if let known = Self.families.withLock({ $0[count] }) { return known }
    let made = try Self.make(count)
    Self.families.withLock { $0[count] = made }
    return made
  }

  private static func make(_ count: Int) throws -> Context {
    var context = try Context(for: Parent.self, Kid.self, Toy.self)
    try Parent(id: 1).save(to: &context)
    for id in 0..<count {
      var kid = Kid(id: id, flag: id % 2 == 0)
      kid.$parent = .id(1)
      try kid.save(to: &context)
      for number in 0..<2 {
        var toy = Toy(id: id * 2 + number, price: (id * 7 + number) % 50)
        toy.$kid = .id(id)
        try toy.save(to: &context)
      }
    }
    return context
  }

  /// The entities that are read, of a family of a size.
  private func reads(_ count: Int, _ body: (Context) throws -> Int, _ expected: Int) throws -> Int {
    let context = try family(count)
    let reads = LoadCount()
    let found = try LoadCount.$current.withValue(reads) { try body(context) }
    #expect(found == expected)
    return reads.number
  }

  private func isLinear(
    _ body: (Context) throws -> Int, _ expected: (Int) -> Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    // Each kid, its parent and its toys, and what the parent has, once or twice.
    for count in [100, 1100] {
      let number = try reads(count, body, expected(count))
      #expect(number <= 6 * count + 20, "\(count)", sourceLocation: sourceLocation)
    }
  }

  @Test func whatAllLeadToIsReadOnce() throws {
    try isLinear({ try Kid.include(#Predicate<Kid> { $0.parent?.kids?.first?.flag == true }).count(in: $0) }, { $0 })
    try isLinear({ try Kid.include(#Predicate<Kid> { $0.parent?.kids?.isEmpty == false }).count(in: $0) }, { $0 })
    try isLinear({ Kid.filter(\.siblings > 3).resolve(in: $0).count }, { $0 })
    try isLinear({ Kid.filter(\.last > 3).resolve(in: $0).count }, { $0 })
    // Of the entities of others, too.
    try isLinear(
      { Parent.query(1).with(\.$kids) { $0.filter(\.siblings > 3) }.resolve(in: $0)?.kids?.count ?? 0 }, { $0 })
  }

  @Test func keysOfAnOrderAreComputedOnce() throws {
    for count in [100, 1100] {
      priced.withLock { $0 = 0 }
      let context = try family(count)
      let reads = LoadCount()
      let sorted = LoadCount.$current.withValue(reads) { Kid.query().sorted(by: \.prices).resolve(in: context) }
      #expect(reads.number <= 4 * count && priced.withLock { $0 } == count)
      let loaded = Kid.query().with(\.$toys).resolve(in: context)
      let keys = loaded.map { ($0.prices, $0.id) }.sorted { $0 < $1 }
      #expect(sorted.map(\.id) == keys.map(\.1))
      let falling = try Query<Kid>().sortBy(\.prices, order: .reverse).sortBy(\.id, order: .reverse).results(
        in: context)
      #expect(falling.map(\.id) == keys.reversed().map(\.1))
    }
  }

  /// What is remembered does not make paths look shorter than they are.
  @Test func dataThatGoRoundEnd() throws {
    var context = Context()
    for id in 0..<3 {
      var ring = Ring(id: id)
      ring.$next = .id((id + 1) % 3)
      try ring.save(to: &context)
    }
    #expect(throws: ModelError.self) { try Ring.include(Round.predicate).results(in: context) }
  }

  /// What is remembered is bounded, and what all ask for stays.
  @Test func memoryIsBounded() {
    var lent = RelationCache()
    let hot = RelationCache.Key(number: 1, depth: 0, row: 0)
    lent.keep(LentTargets([Toy(id: 7, price: 1)]), hot)
    let many = LentTargets(Array(repeating: Toy(id: 1, price: 1), count: 100))
    let count = 4 * RelationCache.mostEntities / 100
    var kept: [RelationCache.Key] = []
    for row in 1...count {
      kept.append(RelationCache.Key(number: 1, depth: 1, row: UInt32(row)))
      lent.keep(many, kept[row - 1])
      #expect(lent.targets(hot) != nil)
    }
    let known = kept.filter { lent.targets($0) != nil }
    #expect(known.count > count / 5 && known.count <= count / 2 + 1 && known.last == kept.last)
  }
}

/// Goes from one ring to the next until there is none.
private struct Round: StandardPredicateExpression {
  let ring: PredicateExpressions.Variable<Ring>

  static var predicate: Predicate<Ring> { Predicate { Round(ring: $0) } }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    var ring = try ring.evaluate(bindings)
    while let next = ring.next { ring = next }
    return ring.id > 0
  }
}
