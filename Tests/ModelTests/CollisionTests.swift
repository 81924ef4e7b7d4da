import Foundation
import Synchronization
import TestClocks
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// Two values together are unique; a resolver lets entities without a nick be.
@EntityModel
private struct Member {
  @Unique<Self>(\.club, \.nick, collisions: .unlessNameless) private var unique
  let id: Int
  var club: String?
  var nick: String?
}

extension CollisionResolver where Entity == Member {
  fileprivate static var unlessNameless: Self {
    Self { existing, new, index, _ in
      if new.nick == nil { return }
      throw UniqueConstraintViolation(existingId: existing, keyPath: index)
    }
  }
}

/// One only is current.
@EntityModel
private struct Login {
  @Unique<Self>(\.isCurrent, collisions: .makeWay) private var current
  let id: Int
  var isCurrent: Bool
}

extension CollisionResolver where Entity == Login {
  fileprivate static var makeWay: Self {
    Self { existing, _, _, context in
      guard var login = Login.query(existing).resolve(in: context), login.isCurrent else { return }
      login.isCurrent = false
      try login.save(to: &context)
    }
  }
}

/// The resolver of one value saves others, and the entity that comes.
@EntityModel
private struct Seat {
  @Unique<Self>(\.row, collisions: .upsert) private var uniqueRow
  @Unique<Self>(\.place, collisions: .giveWay) private var uniquePlace
  let id: Int
  var row: String
  var place: String
  var note: String?
}

extension CollisionResolver where Entity == Seat {
  fileprivate static var giveWay: Self {
    Self { existing, new, _, context in
      guard var seat = Seat.query(existing).resolve(in: context) else { return }
      seat.place = "was \(existing)"
      try seat.save(to: &context)
      try Seat(id: 99, row: new.row, place: "99").save(to: &context)
      try Seat(id: new.id, row: "none \(new.id)", place: "none \(new.id)", note: "resolved").save(to: &context)
    }
  }
}

/// Its deletion leaves another one with its value, once.
@EntityModel
private struct Heir {
  @Unique<Self>(\.title, collisions: .upsert) private var unique
  let id: Int
  var title: String

  func didDelete(from context: inout Context) throws {
    if id < 100 { try Heir(id: id + 100, title: title).save(to: &context) }
  }
}

/// Comes back as soon as it is gone.
@EntityModel
private struct Ghost {
  @Unique<Self>(\.title, collisions: .upsert) private var unique
  let id: Int
  var title: String

  func didDelete(from context: inout Context) throws {
    try Deleted<Ghost>.query(id).resolve(in: context)?.restore(in: &context)
  }
}

/// Its deletion leaves another one with its value, always.
@EntityModel
private struct Hydra {
  @Unique<Self>(\.title, collisions: .upsert) private var unique
  let id: Int
  var title: String

  func didDelete(from context: inout Context) throws { try Hydra(id: id + 1, title: title).save(to: &context) }
}

/// Its resolver puts another one with the value in the place of each.
@EntityModel
private struct Rival {
  @Unique<Self>(\.title, collisions: .replaced) private var unique
  let id: Int
  var title: String
}

extension CollisionResolver where Entity == Rival {
  fileprivate static var replaced: Self {
    Self { existing, new, _, context in
      try Rival.delete(id: existing, from: &context)
      try Rival(id: existing + 1, title: new.title).save(to: &context)
    }
  }
}

/// Where one of its files goes, another one takes its name.
@EntityModel
private struct Folder {
  @Unique<Self>(\.name, collisions: .upsert) private var names
  let id: Int
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \.folder) var files: [File]?
}

@EntityModel
private struct File {
  let id: Int
  @Relationship(inverse: \.files) var folder: Folder?

  func willDelete(from context: inout Context) throws { try Folder(id: 99, name: "docs").save(to: &context) }
}

/// What resolvers were asked.
private final class Asked: Sendable {
  @TaskLocal static var current = Asked()
  private let known = Mutex<[String]>([])
  var words: [String] { known.withLock { $0 } }
  func note(_ words: String) { known.withLock { $0.append(words) } }
}

/// One that is archived may share its code.
@EntityModel
private struct Paper {
  @Unique<Self>(\.code, collisions: .unlessArchived) private var codes
  let id: Int
  var code: String
  var isArchived = false
}

extension CollisionResolver where Entity == Paper {
  fileprivate static var unlessArchived: Self {
    Self { existing, new, index, context in
      Asked.current.note("\(existing)")
      guard let old = Paper.query(existing).resolve(in: context), !old.isArchived, !new.isArchived else { return }
      throw UniqueConstraintViolation(existingId: existing, keyPath: index)
    }
  }
}

/// The later one is kept; its links are all that is said.
@EntityModel
private struct Parcel {
  @Unique<Self>(\.code, collisions: .noted) private var codes
  @Index<Self>(\.label) private var labels
  let id: Int
  var code: String
  var stamp: Int
  var label: String { "label of \(code)" }
  @Relationship var to: Paper? = nil

  static var defaultMergeStrategy: MergeStrategy<Self> { .lastWriteWins(comparedBy: \.stamp) }
}

extension CollisionResolver where Entity == Parcel {
  fileprivate static var noted: Self {
    Self { existing, new, _, _ in
      let (id, place) = RelationWatch.watching { new.$to.id }
      Asked.current.note("\(existing) \(new.id) \(new.code) \(new.stamp) \(id ?? -1) \(place ?? -1)")
    }
  }
}

/// Any number may be without an address.
@EntityModel
private struct Visitor {
  @Unique<Self>(\.email, collisions: .unlessNil) private var emails
  let id: Int
  var email: String?
}

extension CollisionResolver where Entity == Visitor {
  fileprivate static var unlessNil: Self {
    Self { existing, new, index, _ in
      if new.email != nil { throw UniqueConstraintViolation(existingId: existing, keyPath: index) }
    }
  }
}

/// Collisions are those of what an entity becomes, and none is left that nobody was asked about.
@Suite struct CollisionTests {
  @Test("a resolver gets the entity that will be saved") func fragments() throws {
    var context = Context()
    try Member(id: 1, club: "a", nick: "n").save(to: &context)
    try Member(id: 2, club: "b", nick: "n").save(to: &context)
    // Merged it is ("a", "n").
    #expect(throws: UniqueConstraintViolation.self) {
      try Member(id: 2, club: "a", nick: nil).save(to: &context, options: .fragment)
    }
    #expect(Member.query(2).resolve(in: context)?.club == "b")
    // Without one they may be as many as they are.
    try Member(id: 3, club: "a", nick: nil).save(to: &context)
    try Member(id: 4, club: "a", nick: nil).save(to: &context, options: .fragment)
    #expect(context.ids(Member.self) == [1, 2, 3, 4])
  }

  @Test("who makes way is followed by the one before") func severalThatHaveIt() throws {
    var context = Context()
    // Nobody is asked about these.
    for id in 1...3 { try context.insert(Login(id: id, isCurrent: true)) }
    try Login(id: 4, isCurrent: true).save(to: &context)
    #expect(Login.filter(\.isCurrent == true).resolve(in: context).map(\.id) == [4])
    // What it lets be stays.
    try Login(id: 5, isCurrent: false).save(to: &context)
    #expect(Login.filter(\.isCurrent == false).resolve(in: context).map(\.id) == [1, 2, 3, 5])
  }

  @Test("what a resolver saves is looked at too, and merged with") func resolversThatSave() throws {
    var context = Context()
    try Seat(id: 1, row: "r", place: "p").save(to: &context)
    // 1 makes way for its place; 99 has the row then, and is deleted; the note of 2 is the resolver's.
    try Seat(id: 2, row: "s", place: "p").save(to: &context, options: .fragment)
    #expect(Seat.query().resolve(in: context).map(\.id) == [1, 2])
    #expect(Seat.query(1).resolve(in: context)?.place == "was 1")
    let second = try #require(Seat.query(2).resolve(in: context))
    #expect(second.row == "s" && second.place == "p" && second.note == "resolved")
    #expect(Deleted<Seat>.query().resolve(in: context).map(\.id) == [99])
  }

  @Test("what the hooks of the deleted save is looked at too") func hooksThatSave() throws {
    var context = Context()
    try Heir(id: 1, title: "x").save(to: &context)
    try Heir(id: 2, title: "x").save(to: &context)
    #expect(Heir.query().resolve(in: context).map(\.id) == [2])
    #expect(Deleted<Heir>.query().resolve(in: context).map(\.id).sorted() == [1, 101])
  }

  @Test("one that does not go is a violation, and nothing is left") func ghosts() throws {
    var context = Context()
    try Ghost(id: 1, title: "x").save(to: &context)
    #expect(throws: Errors.uniqueValueIndexViolation(existing: "1", new: "2", indexName: "unique")) {
      try Ghost(id: 2, title: "x").save(to: &context)
    }
    #expect(context.ids(Ghost.self) == [1] && Deleted<Ghost>.query().resolve(in: context).isEmpty)
  }

  @Test("collisions that come again and again are an error, and nothing is saved") func endless() throws {
    var context = Context()
    try Hydra(id: 10, title: "t").save(to: &context)
    try Rival(id: 10, title: "t").save(to: &context)
    let before = try context.query("{ Hydra { id } Rival { id } }").jsonString
    #expect(throws: Errors.self) { try Hydra(id: 1, title: "t").save(to: &context) }
    #expect(throws: Errors.self) { try Rival(id: 1, title: "t").save(to: &context) }
    #expect(try context.query("{ Hydra { id } Rival { id } }").jsonString == before)
  }

  @Test("who is being deleted gives its values away", arguments: [1, 2, 30]) func duringDeletions(_ count: Int) throws {
    var context = Context()
    var folder = Folder(id: 1, name: "docs")
    folder.$files = .relation((1...count).map { File(id: $0) })
    try folder.save(to: &context)
    try Folder.delete(id: 1, from: &context)
    #expect(Folder.query().resolve(in: context).map(\.id) == [99] && File.query().resolve(in: context).isEmpty)
    #expect(Database(context).check().isEmpty)
  }

  @Test("the newest is asked about, and who is older lives with it") func newest() throws {
    var context = Context()
    func asked(_ save: (inout Context) throws -> Void) rethrows -> [String] {
      let asked = Asked()
      try Asked.$current.withValue(asked) { try save(&context) }
      return asked.words
    }
    try Paper(id: 1, code: "x").save(to: &context)
    #expect(try asked { try Paper(id: 2, code: "x", isArchived: true).save(to: &$0) } == ["1"])
    #expect(try asked { try Paper(id: 3, code: "x").save(to: &$0) } == ["2"])
    #expect(context.ids(Paper.self) == [1, 2, 3])
    // Where the newest is no more, the one before it is asked about.
    try Paper.delete(id: 3, from: &context)
    try Paper(id: 2, code: "y", isArchived: true).save(to: &context)
    let words = asked { context in
      #expect(throws: UniqueConstraintViolation.self) { try Paper(id: 4, code: "x").save(to: &context) }
    }
    #expect(words == ["1"])
    #expect(context.ids(Paper.self) == [1, 2])
  }

  @Test("a resolver gets the links that are saved, whichever entity is kept") func links() throws {
    var context = Context()
    try Paper(id: 7, code: "x").save(to: &context)
    // Nobody is asked about these.
    for id in 1...2 { try context.insert(Parcel(id: id, code: "a", stamp: 5)) }
    let asked = Asked()
    try Asked.$current.withValue(asked) {
      // What is there is later.
      var parcel = Parcel(id: 1, code: "b", stamp: 3)
      parcel.$to = .id(7)
      try parcel.save(to: &context)
    }
    #expect(asked.words == ["2 1 a 5 7 -1"])
    let read = try #require(Parcel.query(1).id(\.$to).resolve(in: context))
    #expect(read.code == "a" && read.stamp == 5 && read.$to.id == 7)
  }

  @Test("what many have and is let be costs no more than what few have") func cost() throws {
    func context(_ count: Int) throws -> Context {
      var context = Context()
      try context.insert((0..<count).map { Visitor(id: $0, email: nil) })
      return context
    }
    func time(_ context: Context) throws -> Duration {
      try ThreadTime.least {
        var copy = context
        for id in 0..<20 { try Visitor(id: 1_000_000 + id, email: nil).save(to: &copy) }
      }
    }
    let ratio = try time(context(20_000)) / time(context(500))
    #expect(ratio < 5)
  }
}
