import Foundation
import GQLPlanner
import GQLite
import Testing

/// Relations that are fields of an interface: pages of them are the list while entities come and go, conditions through
/// them hold for the same entities as for their types, and walks over them reach what a model reaches.
@Suite struct InterfaceFieldsTests {
  private struct Entity {
    var type: String
    var id: String
    var name: String?
    var links: [String]
    var best: String?
  }

  /// One of the two narrows both fields.
  private static let schema = """
    interface N { id: ID!  name: String  links: [N!]!  best: N }
    union U = A | B
    type A implements N { id: ID!  name: String @index  links: [N!]!  best: N  seen: [U!]! }
    type B implements N { id: ID!  name: String @index(kind: HASH)  links: [A!]!  best: A }
    """

  private static let seeds: [UInt64] = {
    let first = ProcessInfo.processInfo.environment["GQLITE_SEED"].flatMap { UInt64($0) } ?? 1
    return (0..<4).map { first &+ $0 }
  }()
  private static let plans = [
    PlannerOptions(), PlannerOptions(forcing: .scanOnly), PlannerOptions(forcing: .alternative(1)),
  ]

  private static func data(_ random: inout SeededRandom) -> [Entity] {
    let ids = (0..<14).map { (type: random.chance(60) ? "A" : "B", id: "e\($0)") }
    return ids.map { type, id in
      let targets = type == "A" ? ids : ids.filter { $0.type == "A" }
      var links: [String] = []
      for _ in 0..<random.below(6) {
        if let target = targets.randomElement(using: &random), !links.contains(target.id) { links.append(target.id) }
      }
      return Entity(
        type: type, id: id, name: random.chance(20) ? nil : "n\(random.below(4))", links: links,
        best: random.chance(30) ? nil : targets.randomElement(using: &random)?.id)
    }
  }

  private static func database(_ entities: [Entity]) throws -> Database {
    func link(_ id: String) -> String {
      "{\"__typename\":\"\(entities.first { $0.id == id }?.type ?? "")\",\"id\":\"\(id)\"}"
    }
    let database = try Database(schema: schema)
    let lines = entities.map { entity in
      """
      {"__typename":"\(entity.type)","id":"\(entity.id)","name":\(entity.name.map { "\"\($0)\"" } ?? "null"),\
      "links":[\(entity.links.map(link).joined(separator: ","))],"best":\(entity.best.map(link) ?? "null")}
      """
    }
    try database.load([.lines(nil, lines.joined(separator: "\n") + "\n")])
    return database
  }

  private func ids(_ answer: String) -> [String] {
    answer.matches(of: #/"id":"([^"]*)"/#).map { String($0.output.1) }
  }

  // MARK: Pages

  @Test("pages of a field of an interface are the list while entities come and go", arguments: seeds)
  func pages(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let entities = Self.data(&random)
    let orders = ["", "orderBy: name", "orderBy: -name", "orderBy: desc(name, nulls: FIRST)", "orderBy: [name, -id]"]
    for order in orders {
      for filter in ["", "where: name != \"n1\""] {
        let database = try Self.database(entities)
        let parent = entities.max { $0.links.count < $1.links.count }?.id ?? ""
        func page(_ arguments: String) throws -> (ids: [String], cursors: [String]) {
          let given = [filter, order, arguments].filter { !$0.isEmpty }.joined(separator: ", ")
          let text = "{ N(where: id == \"\(parent)\") { links\(given.isEmpty ? "" : "(\(given))") { id _cursor } } }"
          let answer = try database.prepare(text).run().jsonString
          return (ids(answer), answer.matches(of: #/"_cursor":"([^"]*)"/#).map { String($0.output.1) })
        }
        let all = try page("")
        for size in [1, 2, 5] {
          var forward: [String] = []
          var cursor: String?
          while forward.count <= all.ids.count {
            let next = try page("limit: \(size)" + (cursor.map { ", after: \"\($0)\"" } ?? ""))
            forward += next.ids
            guard let last = next.cursors.last else { break }
            cursor = last
          }
          #expect(forward == all.ids, "seed \(seed), \(order) \(filter) by \(size)")
          var backward: [String] = []
          var place = all.cursors.last
          while let before = place, backward.count <= all.ids.count {
            let next = try page("limit: \(size), before: \"\(before)\"")
            backward = next.ids + backward
            place = next.cursors.first
          }
          #expect(backward == Array(all.ids.dropLast()), "seed \(seed), \(order) \(filter) back by \(size)")
        }
        // The member that a cursor stands for goes, and another comes behind all: the rest is what it was.
        guard all.ids.count > 3, let type = entities.first(where: { $0.id == all.ids[1] })?.type else { continue }
        let owner = entities.first { $0.id == parent }?.type ?? ""
        guard all.ids[1] != parent else { continue }
        let delete = "delete\(type)(where: id == \"\(all.ids[1])\")"
        _ = try database.prepare("mutation { \(delete) insertA(data: {id: \"new\", name: \"n9\"}) }").run()
        let append = "set: {links: {append: [\"new\"]}}"
        _ = try database.prepare("mutation { update\(owner)(where: id == \"\(parent)\", \(append)) }").run()
        #expect(database.check() == [])
        let rest = try page("after: \"\(all.cursors[1])\"").ids.filter { $0 != "new" }
        #expect(rest == Array(all.ids[2...]), "seed \(seed), \(order) \(filter) behind what is gone")
        #expect(try page("before: \"\(all.cursors[1])\"").ids.filter { $0 != "new" } == [all.ids[0]])
      }
    }
  }

  // MARK: Conditions

  private static let predicates = [
    "best.name == \"n1\"", "best.name != \"n1\"", "best.name > \"n1\"", "best.name is null",
    "not (best.name == \"n1\")",
    "some(links, name == \"n1\")", "exists(links)", "none(links, name == \"n0\")", "every(links, name == \"n2\")",
    "count(links) > 2", "best.best.name == \"n2\"", "some(links, some(links, name == \"n0\"))",
    "best.name == \"n1\" or name == \"n2\"", "name == \"n0\" and some(links, best.name == \"n1\")",
    "best.name in [\"n1\", \"n3\"] and name is not null", "some(best.links, name == \"n3\")",
    "some(links.best, name == \"n1\")",
    "best.name == name", "some(links, name == ^.name)", "some(links, . is B)", "best is B",
  ]

  @Test("a condition on an interface is that on each of its types", arguments: seeds)
  func conditions(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let entities = Self.data(&random)
    let database = try Self.database(entities)
    for predicate in Self.predicates {
      var expected: Set<String> = []
      for type in ["A", "B"] where !(type == "B" && predicate.contains(" is B")) {
        let text = "{ \(type)(where: \(predicate)) { id } }"
        expected.formUnion(ids(try database.prepare(text).run(planner: Self.plans[1]).jsonString))
      }
      // Of a 'B' links and best are 'A's, so that asking whether they are 'B's is an error there, and false.
      let list = entities.map(\.id).filter(expected.contains)
      for plan in Self.plans {
        let found = ids(try database.prepare("{ N(where: \(predicate)) { id } }").run(planner: plan).jsonString)
        #expect(found == list, "seed \(seed): \(predicate) under \(plan)")
        let rest = ids(try database.prepare("{ N(where: not (\(predicate))) { id } }").run(planner: plan).jsonString)
        #expect(Set(rest).isDisjoint(with: expected), "seed \(seed): not (\(predicate)) under \(plan)")
      }
    }
  }

  // MARK: Walks

  @Test("walks over a field of an interface reach what a model reaches", arguments: seeds)
  func walks(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let entities = Self.data(&random)
    let database = try Self.database(entities)
    let byID = Dictionary(uniqueKeysWithValues: entities.map { ($0.id, $0) })
    func reach(_ start: String, _ next: (Entity) -> [String]) -> [String] {
      var found: [String] = []
      var level = [start]
      while !level.isEmpty {
        var below: [String] = []
        for id in level.compactMap({ byID[$0] }).flatMap(next) where !found.contains(id) {
          found.append(id)
          below.append(id)
        }
        level = below
      }
      return found
    }
    for entity in entities {
      let all = reach(entity.id) { $0.links }
      let up = reach(entity.id) { $0.best.map { [$0] } ?? [] }
      let boxes = reach(entity.id) { $0.links.filter { byID[$0]?.type == "A" } }
      let target = entities[random.below(entities.count)].id
      // The fields of a 'B' itself never lead to one.
      let roots = entity.type == "A" ? ["N", "A"] : ["N"]
      for root in roots {
        let text = """
          { \(root)(where: id == "\(entity.id)") {
            a: closure(links) { id } } }
          """
        let found = ids(try database.prepare(text).run().jsonString)
        #expect(found == all, "seed \(seed): closure(links) of \(root) \(entity.id)")
        let upward = "{ \(root)(where: id == \"\(entity.id)\") { a: closure(best) { id } } }"
        #expect(ids(try database.prepare(upward).run().jsonString) == up, "seed \(seed): closure(best) of \(entity.id)")
      }
      let walked = "{ N(where: id == \"\(entity.id)\") { a: closure(links, where: . is A) { id } } }"
      #expect(ids(try database.prepare(walked).run().jsonString) == boxes, "seed \(seed): \(walked)")
      let way = "{ N(where: id == \"\(entity.id)\") { a: shortestPath(links, to: \"\(target)\") { id } } }"
      let path = ids(try database.prepare(way).run().jsonString)
      let isReached = all.contains(target) || target == entity.id
      #expect(path.isEmpty != isReached, "seed \(seed): \(way)")
      #expect(path.isEmpty || path.first == entity.id && path.last == target, "seed \(seed): \(way)")
      for (from, to) in zip(path, path.dropFirst()) { #expect(byID[from]?.links.contains(to) == true) }
      let levels =
        "(where: id == \"\(entity.id)\") { links @recurse(depth: 3) { id _cycle } best @recurse(depth: 2) { id } }"
      let seen = try database.prepare("{ x: N\(levels) }").run().jsonString
      for root in roots {
        #expect(try database.prepare("{ x: \(root)\(levels) }").run().jsonString == seen, "seed \(seed): \(levels)")
      }
    }
  }
}
