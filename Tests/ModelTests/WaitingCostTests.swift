import Foundation
import GQLiteModels
import TestClocks
import Testing

@EntityModel
private struct Guest {
  let id: Int
  @Relationship(inverse: \.guests) var parties: [Party]?
}

@EntityModel
private struct Party {
  let id: Int
  @Relationship(inverse: \.parties) var guests: [Guest]?
}

/// What a copy costs that is written to does not depend on how many links wait for entities that are not there.
@Suite struct WaitingCostTests {
  private func context(_ count: Int) throws -> Context {
    var context = Context()
    for id in 0..<count {
      var guest = Guest(id: id)
      guest.$parties = .ids([id, 1_000_000 + id])
      try guest.save(to: &context)
    }
    return context
  }

  @Test func writingToACopy() throws {
    let contexts = (small: try context(1_000), large: try context(32_000))
    func least(_ context: Context, _ write: (inout Context) throws -> Void) throws -> Duration {
      try ThreadTime.least {
        // Both copies are held, so that all that is written must be copied.
        var copy = context
        try write(&copy)
      }
    }
    let writes: [(inout Context) throws -> Void] = [
      { context in
        var guest = Guest(id: -1)
        guest.$parties = .ids([-5])
        try guest.save(to: &context)
      },
      { try Party(id: 1_000_007).save(to: &$0) },
      { context in
        var guest = Guest(id: -2)
        guest.$parties = .ids([-6])
        try Deleted(guest).save(to: &context)
      },
      { try Guest.delete(id: 8, from: &$0) },
    ]
    for write in writes {
      let ratio = try least(contexts.large, write) / least(contexts.small, write)
      #expect(ratio < 6, "thirty-two times as many links wait")
    }
    var copy = contexts.large
    try Party(id: 1_000_007).save(to: &copy)
    #expect(Guest.query(7).id(\.$parties).resolve(in: copy)?.$parties.ids == [1_000_007])
    #expect(Guest.query(7).id(\.$parties).resolve(in: contexts.large)?.$parties.ids == [])
  }

  /// Each is added to what is known of all others' owner.
  @Test(arguments: ["alone", "with ids", "behind"]) func deletedOnesOfOneOwner(_ owner: String) throws {
    func fill(_ count: Int) throws {
      var context = Context()
      var party = Party(id: 1)
      if owner == "with ids" { party.$guests = .ids(Array(0..<count)) }
      if owner != "behind" { try Deleted(party).save(to: &context) }
      for id in 0..<count {
        var guest = Guest(id: id)
        guest.$parties = .ids([1])
        try Deleted(guest).save(to: &context)
      }
      if owner == "behind" { try Deleted(party).save(to: &context) }
      #expect(Deleted<Party>.query(1).resolve(in: context)?.entity.$guests.ids == Array(0..<count))
    }
    let ratio = try ThreadTime.least(of: 3) { try fill(8_000) } / ThreadTime.least(of: 3) { try fill(1_000) }
    #expect(ratio < 24, "eight times as many")
  }
}
