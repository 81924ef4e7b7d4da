import Foundation
import GQLite
import GQLiteModels
import Testing

@EntityModel
private struct Guest {
  let id: Int
  @Relationship var friends: [Guest]? = nil
  @Relationship var foes: [Guest]? = nil

  /// The one whom another query's condition asks about, and where.
  @TaskLocal static var asking: (guest: Guest, context: Context)?

  /// Whether a party in the context would be to their liking.
  var findsParty: Bool {
    guard let context = Party.place else { return false }
    return Guest.$asking.withValue((self, context)) {
      !Party.filter(\.isLiked == true).resolve(in: context).isEmpty
    }
  }

  /// Whether somebody's condition that asks others' in turn sees this one's relations.
  func seesFriends(_ depth: Int) -> Bool {
    guard let (guest, context) = Guest.asking else { return false }
    if depth == 0 { return guest.$friends.ids == [2, 3] }
    return Guest.$depth.withValue(depth - 1) {
      !Guest.query([1]).filter(\.isSeeing == true).resolve(in: context).isEmpty
    }
  }
  @TaskLocal static var depth = 0
  var isSeeing: Bool { seesFriends(Guest.depth) }
}

@EntityModel
private struct Party {
  let id: Int
  @Relationship var foes: [Guest]? = nil
  @Relationship var guests: [Guest]? = nil

  @TaskLocal static var place: Context?

  /// Whether the asking guest has all of its friends among the guests, and no foe.
  var isLiked: Bool {
    guard let guest = Guest.asking?.guest else { return false }
    let guests = Set(guests?.map(\.id) ?? [])
    return guests.isSuperset(of: guest.friends?.map(\.id) ?? [])
      && guests.isDisjoint(with: guest.foes?.map(\.id) ?? [])
      && (guest.friends ?? []).allSatisfy { friend in friend.friends?.map(\.id) == [friend.id + 1] }
  }
}

/// Conditions in Swift that ask other queries with conditions in Swift.
@Suite struct NestedConditionTests {
  private func guests() throws -> Context {
    var context = try Context(for: Guest.self, Party.self)
    try Guest(id: 1, friends: [], foes: []).save(to: &context)
    for id in 2...4 { try Guest(id: id, friends: [Guest(id: id + 1)]).save(to: &context) }
    var host = Guest(id: 0)
    host.$friends = .ids([2, 3])
    host.$foes = .ids([1])
    try host.save(to: &context)
    return context
  }

  private func parties(_ context: inout Context) throws {
    for (id, guests) in [[1, 2, 3], [2, 4], [2, 3, 4]].enumerated() {
      var party = Party(id: id)
      party.$guests = .ids(guests)
      party.$foes = .ids([4])
      try party.save(to: &context)
    }
  }

  @Test func entitiesOfTheConditionAround() throws {
    var context = try guests()
    try parties(&context)
    let found = Party.$place.withValue(context) {
      Guest.query([0]).filter(\.findsParty == true).resolve(in: context).map(\.id)
    }
    #expect(found == [0])
    var host = try #require(Guest.query(0).resolve(in: context))
    host.$foes = .ids([2])
    try host.save(to: &context)
    let others = Party.$place.withValue(context) {
      Guest.query([0]).filter(\.findsParty == true).resolve(in: context).map(\.id)
    }
    #expect(others == [])
  }

  /// The rows of the other context are others.
  @Test func queriesForAnotherContext() throws {
    let context = try guests()
    var other = try Context(for: Party.self, Guest.self)
    for id in (0...9).reversed() {
      var guest = Guest(id: id)
      guest.$friends = .ids([7])
      try guest.save(to: &other)
    }
    try parties(&other)
    let found = Party.$place.withValue(other) {
      Guest.query([0]).filter(\.findsParty == true).resolve(in: context).map(\.id)
    }
    #expect(found == [0])
  }

  @Test(arguments: [1, 5]) func conditionsWithinConditions(_ depth: Int) throws {
    let context = try guests()
    let host = Guest.query([0]).filter(\.isAsked == true)
    let found = Party.$place.withValue(context) {
      Guest.$depth.withValue(depth) { host.resolve(in: context).map(\.id) }
    }
    #expect(found == [0])
  }

  @Test func tooManyConditionsWithinConditions() throws {
    let context = try guests()
    let found = Party.$place.withValue(context) {
      Guest.$depth.withValue(70) { Guest.query([0]).filter(\.isAsked == true).resolve(in: context) }
    }
    #expect(found.isEmpty)
  }
}

extension Guest {
  /// Asks as deep as is said.
  var isAsked: Bool {
    guard let context = Party.place else { return false }
    return Guest.$asking.withValue((self, context)) { seesFriends(Guest.depth) }
  }
}
