import GQLDifferential
import GQLite
import GQLiteModels
import Testing

/// Entities that are linked with others of their type in every way.
protocol Tangle: EntityModelProtocol where ID == Int {
  typealias One<Entity: EntityModelProtocol> = WritableKeyPath<
    Entity, Relation<Entity, Relations.Mutual, Relations.ToOne, Relations.Optional>
  > & Sendable
  typealias Many<Entity: EntityModelProtocol> = WritableKeyPath<
    Entity, Relation<Entity, Relations.Mutual, Relations.ToMany, Relations.Required>
  > & Sendable
  typealias Best<Entity: EntityModelProtocol> = WritableKeyPath<
    Entity, Relation<Entity, Relations.OneWay, Relations.ToOne, Relations.Optional>
  > & Sendable
  typealias List<Entity: EntityModelProtocol> = WritableKeyPath<
    Entity, Relation<Entity, Relations.OneWay, Relations.ToMany, Relations.Required>
  > & Sendable
  init(id: Int, value: Int)
  var value: Int { get }
  static var ones: [One<Self>] { get }
  static var manies: [Many<Self>] { get }
  static var best: Best<Self> { get }
  static var list: List<Self> { get }
}

/// Is saved without a word to the program.
@EntityModel
struct QuietTangle: Tangle {
  let id: Int
  var value: Int
  @Relationship(inverse: \.members) var team: QuietTangle?
  @Relationship(inverse: \.team) var members: [QuietTangle]?
  @Relationship(inverse: \.fans) var idols: [QuietTangle]?
  @Relationship(inverse: \.idols) var fans: [QuietTangle]?
  @Relationship(inverse: \.follower) var leader: QuietTangle?
  @Relationship(inverse: \.leader) var follower: QuietTangle?
  @Relationship var best: QuietTangle? = nil
  @Relationship var list: [QuietTangle]? = nil

  init(id: Int, value: Int) { (self.id, self.value) = (id, value) }

  static var ones: [One<Self>] { [\.$team, \.$leader, \.$follower] }
  static var manies: [Many<Self>] { [\.$members, \.$idols, \.$fans] }
  static var best: Best<Self> { \.$best }
  static var list: List<Self> { \.$list }
}

/// Has hooks that do nothing.
@EntityModel
struct LoudTangle: Tangle {
  let id: Int
  var value: Int
  @Relationship(inverse: \.members) var team: LoudTangle?
  @Relationship(inverse: \.team) var members: [LoudTangle]?
  @Relationship(inverse: \.fans) var idols: [LoudTangle]?
  @Relationship(inverse: \.idols) var fans: [LoudTangle]?
  @Relationship(inverse: \.follower) var leader: LoudTangle?
  @Relationship(inverse: \.leader) var follower: LoudTangle?
  @Relationship var best: LoudTangle? = nil
  @Relationship var list: [LoudTangle]? = nil

  init(id: Int, value: Int) { (self.id, self.value) = (id, value) }

  static var ones: [One<Self>] { [\.$team, \.$leader, \.$follower] }
  static var manies: [Many<Self>] { [\.$members, \.$idols, \.$fans] }
  static var best: Best<Self> { \.$best }
  static var list: List<Self> { \.$list }

  mutating func willSave(to context: inout Context) throws {}
  func didSave(to context: inout Context) throws {}
}

/// Has unique values, which never meet.
@EntityModel
struct UniqueTangle: Tangle {
  @Unique<Self>(\.id, collisions: .throw) private var unique

  let id: Int
  var value: Int
  @Relationship(inverse: \.members) var team: UniqueTangle?
  @Relationship(inverse: \.team) var members: [UniqueTangle]?
  @Relationship(inverse: \.fans) var idols: [UniqueTangle]?
  @Relationship(inverse: \.idols) var fans: [UniqueTangle]?
  @Relationship(inverse: \.follower) var leader: UniqueTangle?
  @Relationship(inverse: \.leader) var follower: UniqueTangle?
  @Relationship var best: UniqueTangle? = nil
  @Relationship var list: [UniqueTangle]? = nil

  init(id: Int, value: Int) { (self.id, self.value) = (id, value) }

  static var ones: [One<Self>] { [\.$team, \.$leader, \.$follower] }
  static var manies: [Many<Self>] { [\.$members, \.$idols, \.$fans] }
  static var best: Best<Self> { \.$best }
  static var list: List<Self> { \.$list }
}

/// An entity of a graph, whatever its type is to be.
private struct TanglePlan {
  enum Link {
    case null
    case ids([Int], isPart: Bool)
    case entities([TanglePlan], isPart: Bool, isFragment: Bool)
  }
  let id: Int
  let value: Int
  /// By relation: the to-one ones, the to-many ones, and those without another side.
  var links: [(place: Int, link: Link)] = []

  static func random(_ random: inout SeededRandom, _ depth: Int) -> TanglePlan {
    var plan = TanglePlan(id: random.below(8), value: random.below(100))
    for place in 0..<8 where random.chance(depth == 0 ? 45 : 30) {
      let isOne = place < 3 || place == 6
      let count = isOne ? 1 : random.below(4)
      let isPart = !isOne && random.chance(30)
      if isOne, random.chance(20) {
        plan.links.append((place, .null))
      } else if depth == 3 || random.chance(50) {
        plan.links.append((place, .ids((0..<count).map { _ in random.below(8) }, isPart: isPart)))
      } else {
        let entities = (0..<count).map { _ in TanglePlan.random(&random, depth + 1) }
        plan.links.append((place, .entities(entities, isPart: isPart, isFragment: random.chance(20))))
      }
    }
    return plan
  }

  func made<Entity: Tangle>(_ type: Entity.Type) -> Entity {
    var entity = Entity(id: id, value: value)
    for (place, link) in links {
      switch place {
      case 0..<3: entity[keyPath: Entity.ones[place]] = Self.one(link)
      case 3..<6: entity[keyPath: Entity.manies[place - 3]] = Self.many(link)
      case 6: entity[keyPath: Entity.best] = Self.one(link)
      default: entity[keyPath: Entity.list] = Self.many(link)
      }
    }
    return entity
  }

  private static func one<Entity: Tangle, Directionality>(
    _ link: Link
  ) -> Relation<Entity, Directionality, Relations.ToOne, Relations.Optional> {
    switch link {
    case .null: .null
    case .ids(let ids, _): .id(ids[0])
    case .entities(let plans, _, let isFragment):
      isFragment ? .fragment(plans[0].made(Entity.self)) : .relation(plans[0].made(Entity.self))
    }
  }

  private static func many<Entity: Tangle, Directionality>(
    _ link: Link
  ) -> Relation<Entity, Directionality, Relations.ToMany, Relations.Required> {
    switch link {
    case .null: return .none
    case .ids(let ids, let isPart): return isPart ? .appending(ids: ids) : .ids(ids)
    case .entities(let plans, let isPart, let isFragment):
      let made = plans.map { $0.made(Entity.self) }
      if isPart { return isFragment ? .appending(fragment: made) : .appending(relation: made) }
      return isFragment ? .fragment(made) : .relation(made)
    }
  }
}

/// What is linked does not depend on whether saving calls the program.
@Suite struct SaveOrderTests {
  /// All that is saved, in order; without the order of lists, if that is not asked for.
  private func dump<Entity: Tangle>(_ context: Context, _ type: Entity.Type, sorted: Bool = false) -> [String] {
    var query = Entity.query().id(Entity.best).id(Entity.list)
    for one in Entity.ones { query = query.id(one) }
    for many in Entity.manies { query = query.id(many) }
    let lines = query.resolve(in: context).map { entity in
      let ones = Entity.ones.map { entity[keyPath: $0].id } + [entity[keyPath: Entity.best].id]
      let manies = Entity.manies.map { entity[keyPath: $0].ids ?? [] } + [entity[keyPath: Entity.list].ids ?? []]
      return "\(entity.id) \(entity.value) \(ones.map { $0.map { "\($0)" } ?? "-" }) "
        + "\(sorted ? manies.map { $0.sorted() } : manies)"
    }
    return sorted ? lines.sorted() : lines
  }

  private func save<Entity: Tangle>(_ plan: TanglePlan, _ type: Entity.Type, _ context: inout Context) throws {
    try plan.made(type).save(to: &context)
  }

  private func arrive<Entity: Tangle>(_ id: Int, _ type: Entity.Type, _ context: inout Context) throws {
    if Entity.query(id).resolve(in: context) == nil { try Entity(id: id, value: 0).save(to: &context) }
  }

  @Test(arguments: 0..<8) func savesWithAndWithoutHooks(_ part: UInt64) throws {
    // From now on it is known that it has none.
    var first = Context()
    for id in 0..<2 { try QuietTangle(id: id, value: 0).save(to: &first) }
    for seed in (part * 60)..<(part * 60 + 60) {
      var random = SeededRandom(seed: seed)
      var (quiet, loud, unique) = (Context(), Context(), Context())
      // Here all that is named is there from the beginning.
      var full = Context()
      for id in 0..<8 { try QuietTangle(id: id, value: 0).save(to: &full) }
      for step in 0..<(1 + random.below(3)) {
        let plan = TanglePlan.random(&random, 0)
        try save(plan, QuietTangle.self, &quiet)
        try save(plan, LoudTangle.self, &loud)
        try save(plan, UniqueTangle.self, &unique)
        try save(plan, QuietTangle.self, &full)
        let expected = dump(quiet, QuietTangle.self)
        try #require(dump(loud, LoudTangle.self) == expected, "seed \(seed), step \(step)")
        try #require(dump(unique, UniqueTangle.self) == expected, "seed \(seed), step \(step)")
      }
      for id in (0..<8).shuffled(using: &random) {
        try arrive(id, QuietTangle.self, &quiet)
        try arrive(id, LoudTangle.self, &loud)
        try arrive(id, UniqueTangle.self, &unique)
      }
      let expected = dump(quiet, QuietTangle.self)
      try #require(dump(loud, LoudTangle.self) == expected, "seed \(seed), later")
      try #require(dump(unique, UniqueTangle.self) == expected, "seed \(seed), later")
      try #require(
        dump(quiet, QuietTangle.self, sorted: true) == dump(full, QuietTangle.self, sorted: true), "seed \(seed), full")
      for context in [quiet, loud, unique] { #expect(Database(context).check().isEmpty) }
    }
  }
}
