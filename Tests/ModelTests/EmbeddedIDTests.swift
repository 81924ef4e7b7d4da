import Foundation
import GQLite
import GQLiteModels
import Testing

@EntityModel
private struct Caller {
  let id: Int
  var home: Address
  var work: Address?
  @Relationship var other: Caller? = nil
}

@EmbeddedModel
private struct Address: Codable {
  var ref: String
  var spot: Point?
}

@EmbeddedModel
private struct Badge: Codable {
  var codes: [String]
}

@EntityModel
private struct Bearer {
  let id: Int
  var badge: Badge
}

@EmbeddedModel
private struct Point: Codable {
  var x: Double
  var label: String?
}

/// What an embedded object holds is ordered as Swift does it, also where the schema has it as an id.
@Suite struct EmbeddedIDTests {
  private func database() throws -> Database {
    let database = try Database(
      schema: """
        type Point { x: Float! label: String }
        type Address { ref: ID! spot: Point }
        type Caller { id: Int! home: Address! work: Address other: Caller }
        """)
    for (id, ref) in [(1, "9"), (2, "10"), (3, "a"), (4, "07")] {
      var caller = Caller(id: id, home: Address(ref: ref, spot: nil), work: nil)
      if id > 2 { caller.work = Address(ref: ref, spot: Point(x: Double(id), label: "l")) }
      if id > 1 { caller.$other = .id(id - 1) }
      try caller.save(to: database)
    }
    return database
  }

  /// As texts: 07, 10, 9, a.
  @Test func orders() throws {
    let database = try database()
    #expect(Caller.query().sorted(by: \.home.ref).resolve(in: database).map(\.id) == [4, 2, 1, 3])
    #expect(Caller.filter(\.home.ref < "9").resolve(in: database).map(\.id) == [2, 4])
    let nine = "9"
    #expect(try Caller.include(#Predicate { $0.home.ref < nine }).results(in: database).map(\.id) == [2, 4])
    let range = "10"..."9"
    #expect(try Caller.include(#Predicate { range.contains($0.home.ref) }).results(in: database).map(\.id) == [1, 2])
    #expect(
      try Caller.include(#Predicate { ($0.work?.ref ?? nine) < nine }).results(in: database).map(\.id) == [4])
    #expect(
      try Caller.include(#Predicate { $0.other.flatMap { $0.home.ref < nine } ?? false }).results(in: database)
        .map(\.id) == [3])
    // Equality is the same.
    #expect(Caller.filter(\.home.ref == "9").resolve(in: database).map(\.id) == [1])
    #expect(Caller.filter(\.home.ref == "9").explain(in: database.entities).contains("in Swift") == false)
  }

  @Test("objects within objects are read where their key paths are asked for") func parts() throws {
    let database = try database()
    for paths in [Caller.fetchKeyPaths(\.work?.spot), Caller.fetchKeyPaths(\.work?.spot?.x)] {
      #expect(try paths.results(in: database).map { $0.work?.spot?.x } == [nil, nil, 3, 4])
    }
  }

  /// As texts, of which "10" comes before "9".
  @Test func elementsOfLists() throws {
    let database = try Database(
      schema: "type Badge { codes: [ID!]! } type Bearer { id: Int! badge: Badge! }")
    for (id, codes) in [(1, ["10"]), (2, ["9"]), (3, ["a", "07"]), (4, [])] {
      try Bearer(id: id, badge: Badge(codes: codes)).save(to: database)
    }
    let nine = "9"
    func ids(_ predicate: Predicate<Bearer>) throws -> [Int] {
      try Bearer.include(predicate).results(in: database).map(\.id)
    }
    #expect(try ids(#Predicate { $0.badge.codes.contains { $0 < nine } }) == [1, 3])
    #expect(try ids(#Predicate { $0.badge.codes.allSatisfy { $0 >= nine } }) == [2, 4])
    #expect(try ids(#Predicate { $0.badge.codes.count > 0 && $0.badge.codes[0] < nine }) == [1])
    #expect(try ids(#Predicate { $0.badge.codes.contains { $0 == nine } }) == [2])
    #expect(try ids(#Predicate { $0.badge.codes.contains(nine) }) == [2])
  }
}
