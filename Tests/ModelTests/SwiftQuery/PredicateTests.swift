import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// `#Predicate`s: what columns can tell goes to the planner, and means what evaluating the predicate means.
@Suite struct PredicateTests {
  /// Compares a query with evaluating the predicate for every entity, and says whether all of it was translated.
  private func check(
    _ predicate: Predicate<Person>, isTranslated: Bool = true, count: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let context = try people()
    let all = try Person.query().with(\.$company) { $0.with(\.$staff) { $0.with(\.$pets) } }.with(\.$pets)
      .results(in: context)
    let expected = try all.filter { try predicate.evaluate($0) }.map(\.id)
    #expect(expected.count == count, sourceLocation: sourceLocation)
    #expect(try Person.include(predicate).results(in: context).map(\.id) == expected, sourceLocation: sourceLocation)
    let others = Set(all.map(\.id)).subtracting(expected)
    #expect(
      try Set(Person.exclude(predicate).results(in: context).map(\.id)) == others, sourceLocation: sourceLocation)
    #expect(try Person.include(predicate).count(in: context) == expected.count, sourceLocation: sourceLocation)
    #expect(
      QueryPredicate.conjuncts(of: predicate).allSatisfy { $0.term != nil } == isTranslated,
      sourceLocation: sourceLocation)
  }

  @Test func comparisons() throws {
    try check(#Predicate { $0.name == "Jill" }, count: 2)
    try check(#Predicate { $0.name != "Jill" }, count: 10)
    try check(#Predicate { "Jill" == $0.name }, count: 2)
    try check(#Predicate { $0.age >= 18 }, count: 6)
    try check(#Predicate { 18 > $0.age }, count: 6)
    try check(#Predicate { $0.age < 7 }, count: 2)
    try check(#Predicate { $0.name <= "Ann" }, count: 3)
    try check(#Predicate { $0.isInactive }, count: 4)
    try check(#Predicate { !$0.isInactive }, count: 8)
    try check(#Predicate { $0.nickname == nil }, count: 6)
    try check(#Predicate { $0.nickname != nil }, count: 6)
    try check(#Predicate { $0.nickname == "Bobby" }, count: 0)
    try check(#Predicate { $0.nickname == "Boby" }, count: 1)
    try check(#Predicate { $0.id == $0.name }, count: 0)
    let mood = Person.Mood.cross
    try check(#Predicate { $0.mood == mood }, count: 3)
    let badge: Person.Badge? = Person.Badge(color: "red")
    // What is kept as JSON is not compared as JSON.
    try check(#Predicate { $0.badge == badge }, isTranslated: false, count: 1)
  }

  /// Enums of the schema, as keys, where they may be missing, and in lists.
  @Test func enums() throws {
    var context = Context()
    try Lamp(id: .red, next: .green, all: [.red, .green]).save(to: &context)
    try Lamp(id: .green, next: nil, all: []).save(to: &context)
    try Lamp(id: .blue, next: .red, all: [.blue, .red]).save(to: &context)
    let (red, green, blue) = (Lamp.Color.red, Lamp.Color.green, Lamp.Color.blue)
    let none: Lamp.Color? = nil
    let some: [Lamp.Color?] = [nil, .red]
    func check(
      _ predicate: Predicate<Lamp>, _ ids: [Lamp.Color], isTranslated: Bool = true,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      #expect(try Lamp.include(predicate).results(in: context).map(\.id) == ids, sourceLocation: sourceLocation)
      #expect(
        try Lamp.results(in: context).filter { try predicate.evaluate($0) }.map(\.id) == ids,
        sourceLocation: sourceLocation)
      #expect(
        QueryPredicate.conjuncts(of: predicate).allSatisfy { $0.term != nil } == isTranslated,
        sourceLocation: sourceLocation)
    }
    try check(#Predicate { $0.id == blue }, [.blue])
    try check(#Predicate { $0.id != blue }, [.red, .green])
    try check(#Predicate { $0.next == green }, [.red])
    try check(#Predicate { $0.next != green }, [.green, .blue])
    try check(#Predicate { $0.next == none }, [.green])
    try check(#Predicate { $0.next != nil }, [.red, .blue])
    try check(#Predicate { ($0.next ?? red) == red }, [.green, .blue])
    try check(#Predicate { some.contains($0.next) }, [.green, .blue])
    try check(#Predicate { $0.all.contains(red) }, [.red, .blue])
    try check(#Predicate { $0.all.contains { $0 == blue } }, [.blue])
    try check(#Predicate { $0.all.allSatisfy { $0 != green } }, [.green, .blue])
    try check(#Predicate { $0.all.isEmpty }, [.green])
    try check(#Predicate { $0.next.flatMap { $0 == green } ?? false }, [.red])
    try check(#Predicate { $0.all.contains($0.id) }, [.red, .blue], isTranslated: false)
    let values = try Lamp.query().values(\.id, \.next, \.all, in: context)
    #expect(values.map { $0.0 } == [.red, .green, .blue] && values.map { $0.1 } == [.green, nil, .red])
    #expect(values.map { $0.2 } == [[.red, .green], [], [.blue, .red]])
    // In a schema of text, two fields of one Swift type may have two enums.
    let database = try Database(
      schema: """
        enum One { red green blue } enum Two { red green blue }
        type Lamp { id: String! next: One all: [Two!]! }
        """)
    try Lamp(id: .red, next: .green, all: [.blue]).save(to: database)
    let query = Lamp.include(#Predicate { $0.next == green && $0.all.contains(blue) })
    #expect(try query.results(in: database).map(\.id) == [.red])
    #expect(query.explain(in: database.entities, costs: false).contains("next == green"))
  }

  @Test func logic() throws {
    try check(#Predicate { $0.age >= 18 && $0.name == "Jill" && !$0.isInactive }, count: 0)
    try check(#Predicate { $0.age < 7 || $0.name == "Jill" }, count: 4)
    try check(#Predicate { !($0.age < 7 || $0.name == "Jill") }, count: 8)
    try check(#Predicate { ($0.isInactive ? $0.age : 100) > 20 }, count: 10)
    try check(#Predicate { $0.isInactive == ($0.age > 20) }, count: 6)
    try check(#Predicate { _ in true }, count: 12)
    try check(#Predicate { _ in false }, count: 0)
    let wanted = true
    try check(#Predicate { wanted && $0.age > 20 }, count: 6)
  }

  @Test func optionals() throws {
    try check(#Predicate { ($0.rating ?? 0) > 2 }, count: 6)
    try check(#Predicate { $0.rating.flatMap { $0 > 2 } ?? false }, count: 6)
    try check(#Predicate { $0.rating.flatMap { $0 != 2.5 } ?? false }, count: 8)
    try check(#Predicate { $0.rating.flatMap { $0 != 2.5 } ?? true }, count: 11)
    try check(#Predicate { if let rating = $0.rating { rating == 2.5 } else { $0.age > 20 } }, count: 2)
    try check(#Predicate { $0.nickname?.contains("y") == true }, count: 6)
    try check(#Predicate { $0.nickname?.contains("y") != true }, count: 6)
    try check(#Predicate { $0.nickname?.isEmpty == false }, count: 6)
  }

  @Test func texts() throws {
    try check(#Predicate { $0.name.contains("ack") }, count: 3)
    try check(#Predicate { $0.name.starts(with: "J") }, count: 4)
    try check(#Predicate { $0.name.isEmpty }, count: 1)
    try check(#Predicate { $0.name.contains("") }, count: 12)
    // Letters are not what columns count.
    try check(#Predicate { $0.name.count == 4 }, isTranslated: false, count: 4)
    try check(#Predicate { $0.age > 20 && $0.name.count == 3 }, isTranslated: false, count: 4)
    try check(#Predicate { $0.name.localizedStandardContains("JACK") }, isTranslated: false, count: 3)
    try check(#Predicate { $0.name.localizedStandardContains("zoe") }, isTranslated: false, count: 1)
  }

  @Test func listsAndRanges() throws {
    let ages = [7, 14, 1000]
    try check(#Predicate { ages.contains($0.age) }, count: 2)
    let names: Set<String> = ["Jill", "Max"]
    try check(#Predicate { names.contains($0.name) }, count: 3)
    let nicknames: [String?] = [nil, "Boby"]
    try check(#Predicate { nicknames.contains($0.nickname) }, count: 7)
    try check(#Predicate { (7...21).contains($0.age) }, count: 5)
    let range = 7..<21
    try check(#Predicate { range.contains($0.age) }, count: 4)
    try check(#Predicate { !(7..<21).contains($0.age) }, count: 8)
    try check(#Predicate { $0.tags.contains("b") }, count: 6)
    try check(#Predicate { $0.tags.isEmpty }, count: 3)
    try check(#Predicate { $0.tags.count == 2 }, count: 3)
    try check(#Predicate { $0.tags.contains { $0 > "a" } }, count: 6)
    try check(#Predicate { $0.tags.allSatisfy { $0 < "c" } }, count: 9)
    try check(#Predicate { $0.tags.filter { $0 > "a" }.count == 2 }, isTranslated: false, count: 3)
    // Beyond the end of a list there is nothing.
    let context = try people()
    #expect(try Person.include(#Predicate { $0.tags[1] == "b" }).count(in: context) == 6)
  }

  @Test func numbers() throws {
    try check(#Predicate { $0.age + 1 == 15 }, count: 1)
    try check(#Predicate { $0.age * 2 - 4 > 40 }, count: 5)
    try check(#Predicate { -$0.age < -30 }, count: 2)
    try check(#Predicate { $0.age % 2 == 0 }, count: 6)
    try check(#Predicate { $0.age / 10 == 2 }, count: 3)
    try check(#Predicate { ($0.rating ?? 0) / 2 > 1.5 }, count: 4)
    let zero = 0
    let context = try people()
    // Evaluating this would stop the process.
    #expect(throws: ModelError.self) { _ = try Person.include(#Predicate { $0.age / zero == 2 }).results(in: context) }
    #expect(throws: ModelError.self) {
      _ = try Person.include(#Predicate { $0.age * 9_000_000_000_000_000_000 > 2 }).results(in: context)
    }
  }

  @Test func relations() throws {
    try check(#Predicate { $0.company == nil }, count: 4)
    try check(#Predicate { $0.company?.name == "Acme" }, count: 4)
    try check(#Predicate { $0.company?.name != "Acme" }, count: 8)
    try check(#Predicate { $0.company?.size == nil }, count: 8)
    try check(#Predicate { $0.company.flatMap { $0.size } ?? 5 == 5 }, count: 8)
    try check(#Predicate { $0.company?.name.contains("cm") ?? false }, count: 4)
    try check(#Predicate { $0.company?.name.count == 4 }, isTranslated: false, count: 8)
    try check(#Predicate { $0.pets?.isEmpty == false }, count: 3)
    try check(#Predicate { ($0.pets?.count ?? 0) == 2 }, count: 3)
    try check(#Predicate { $0.pets?.contains { $0.weight > 4 } ?? false }, count: 2)
    try check(#Predicate { $0.pets?.allSatisfy { $0.weight < 4 } ?? false }, count: 10)
    try check(#Predicate { $0.pets?.contains { $0.name.count == 3 } ?? false }, isTranslated: false, count: 3)
    try check(
      #Predicate { $0.company?.staff?.contains { $0.pets?.contains { $0.weight > 4 } ?? false } ?? false }, count: 4)
    try check(#Predicate { $0.company?.staff?.isEmpty != false }, count: 4)
  }
}

@EntityModel
struct Lamp {
  let id: Color
  var next: Color?
  var all: [Color]

  enum Color: String, CaseIterable, Codable, LosslessStringConvertible {
    case red, green, blue

    init?(_ description: String) { self.init(rawValue: description) }
    var description: String { rawValue }
  }
}
