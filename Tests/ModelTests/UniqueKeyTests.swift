import Foundation
import GQLite
import GQLiteModels
import Testing

/// `@Unique` over values of which columns have no key: lists, JSON, and what is kept beside the store.
@Suite struct UniqueKeyTests {
  /// Has an order and nothing else.
  struct Version: Comparable, Sendable {
    var major: Int
    static func < (left: Self, right: Self) -> Bool { left.major < right.major }
  }

  /// Can be coded and nothing else.
  struct Spot: Codable, Sendable { var city: String, lots: [Int] }

  /// Can be compared and coded.
  struct Grade: Comparable, Codable, Sendable {
    var points: Int
    static func < (left: Self, right: Self) -> Bool { left.points < right.points }
  }

  /// Is equal whatever the letters' case.
  struct Name: Codable, Hashable, Sendable, OwnEquatable {
    var text: String
    static func == (left: Self, right: Self) -> Bool { left.text.lowercased() == right.text.lowercased() }
    func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
  }

  struct Opaque: Hashable, Sendable { var number: Int }

  @EntityModel
  struct Release {
    @Unique<Self>(\.version, collisions: .throw) private var versions
    let id: Int
    var version: Version
  }

  @EntityModel
  struct Stall {
    @Unique<Self>(\.spot, collisions: .throw) private var spots
    @Unique<Self>(\.name, \.grade, collisions: .throwUnlessNil) private var grades
    let id: Int
    var name: String
    var spot: Spot
    var grade: Grade?
  }

  @EntityModel
  struct Shelf {
    @Unique<Self>(\.tags, collisions: .upsert) private var uniqueTags
    @Unique<Self>(\.words, \.counts, collisions: .throw) private var uniqueWords
    @Unique<Self>(\.opaque, collisions: .decided) private var opaques
    @Unique<Self>(\.title, collisions: .throwUnlessNil) private var titles
    let id: Int
    var tags: [String]
    var words: Set<String> = []
    var counts: [Int: Int] = [:]
    var opaque: Opaque? = nil
    var title: Name? = nil
  }

  private func refuses(_ index: String, _ save: () throws -> Void) -> Bool {
    do {
      try save()
      return false
    } catch Errors.uniqueValueIndexViolation(_, _, let name) { return name == index } catch { return false }
  }

  @Test func whatIsOnlyComparable() throws {
    var context = Context()
    try Release(id: 1, version: Version(major: 1)).save(to: &context)
    try Release(id: 2, version: Version(major: 2)).save(to: &context)
    #expect(refuses("versions") { try Release(id: 3, version: Version(major: 1)).save(to: &context) })
    #expect(Release.query().resolve(in: context).map(\.id) == [1, 2])
    // One's own value is no collision, and one that is left is free.
    try Release(id: 1, version: Version(major: 1)).save(to: &context)
    try Release(id: 1, version: Version(major: 4)).save(to: &context)
    try Release(id: 3, version: Version(major: 1)).save(to: &context)
    try Release.delete(id: 2, from: &context)
    try Release(id: 4, version: Version(major: 2)).save(to: &context)
    #expect(Release.query().sorted(by: \.id).resolve(in: context).map(\.version.major) == [4, 1, 2])
    // Others of the same save are asked too.
    let database = Database(context)
    #expect(throws: Errors.self) {
      try database.update { context in
        for id in 10..<12 { try Release(id: id, version: Version(major: 9)).save(to: &context) }
      }
    }
    #expect(try Release.count(in: database) == 3 && database.check().isEmpty)
  }

  @Test func whatIsOnlyCodable() throws {
    var context = Context()
    try Stall(id: 1, name: "a", spot: Spot(city: "Bonn", lots: [1, 2])).save(to: &context)
    try Stall(id: 2, name: "a", spot: Spot(city: "Bonn", lots: [2, 1])).save(to: &context)
    #expect(
      refuses("spots") { try Stall(id: 3, name: "b", spot: Spot(city: "Bonn", lots: [2, 1])).save(to: &context) })
    // Nothing is known of the grade of two, and the resolver says that it does not count.
    func stall(_ id: Int, _ name: String, _ points: Int) -> Stall {
      Stall(id: id, name: name, spot: Spot(city: "\(id)", lots: []), grade: Grade(points: points))
    }
    try stall(4, "a", 1).save(to: &context)
    try stall(5, "b", 1).save(to: &context)
    #expect(refuses("grades") { try stall(6, "b", 1).save(to: &context) })
    try stall(6, "b", 2).save(to: &context)
    #expect(Stall.query().resolve(in: context).map(\.id) == [1, 2, 4, 5, 6])
    // Conditions on the property mean what they mean without the index.
    #expect(Stall.filter(\.grade == Grade(points: 1)).resolve(in: context).map(\.id) == [4, 5])
  }

  @Test func listsSetsAndDictionaries() throws {
    var context = Context()
    func shelf(_ id: Int, _ tags: [String] = [], _ words: Set<String> = [], _ counts: [Int: Int] = [:]) -> Shelf {
      Shelf(
        id: id, tags: tags + (tags.isEmpty ? ["\(id)"] : []), words: words.isEmpty ? ["\(id)"] : words, counts: counts)
    }
    try shelf(1, ["a", "b"]).save(to: &context)
    try shelf(2, ["b", "a"]).save(to: &context)
    try shelf(3, ["a", "b"]).save(to: &context)
    #expect(Shelf.query().resolve(in: context).map(\.id) == [2, 3])
    // Whatever order sets and dictionaries are in.
    let words = Set((0..<40).map { "w\($0)" })
    var counts = Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, $0) })
    try shelf(4, [], words, counts).save(to: &context)
    let same = Set((0..<40).reversed().map { "w\($0)" })
    #expect(refuses("uniqueWords") { try shelf(5, [], same, counts).save(to: &context) })
    counts[0] = 7
    try shelf(5, [], same, counts).save(to: &context)
    #expect(Shelf.query().resolve(in: context).map(\.id) == [2, 3, 4, 5])
  }

  @Test func ownEqualities() throws {
    var context = Context()
    try Shelf(id: 1, tags: ["1"], words: ["1"], title: Name(text: "Ann")).save(to: &context)
    #expect(
      refuses("titles") { try Shelf(id: 2, tags: ["2"], words: ["2"], title: Name(text: "ANN")).save(to: &context) })
    try Shelf(id: 2, tags: ["2"], words: ["2"], title: Name(text: "Bob")).save(to: &context)
    try Shelf(id: 3, tags: ["3"], words: ["3"]).save(to: &context)
    try Shelf(id: 4, tags: ["4"], words: ["4"]).save(to: &context)
    #expect(Shelf.query().resolve(in: context).count == 4)
  }

  @Test func resolversAreAsked() throws {
    var context = Context()
    for (id, number) in [(1, 1), (2, 2), (3, 1)] {
      try Shelf(id: id, tags: ["\(id)"], words: ["\(id)"], opaque: Opaque(number: number)).save(to: &context)
    }
    // The one that was there has given way.
    #expect(Shelf.query().resolve(in: context).map { $0.opaque?.number } == [nil, 2, 1])
  }
}

extension CollisionResolver where Entity == UniqueKeyTests.Shelf {
  fileprivate static var decided: Self {
    CollisionResolver { existing, new, _, context in
      guard new.opaque != nil, var other = Entity.query(existing).resolve(in: context) else { return }
      other.opaque = nil
      try other.save(to: &context)
    }
  }
}
