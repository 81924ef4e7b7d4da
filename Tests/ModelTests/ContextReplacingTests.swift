import GQLite
import GQLiteModels
import Testing

/// What the hooks of ``Swapper`` do.
private enum Swapping {
  @TaskLocal static var act: @Sendable (_ hook: String, Swapper, inout Context) throws -> Void = { _, _, _ in }
}

@EntityModel
private struct Swapper {
  @Unique<Self>(\.name, collisions: .swap) private var uniqueName

  let id: Int
  var name: String
  @Relationship(deleteRule: .cascade) var parts: [Piece]? = nil

  mutating func willSave(to context: inout Context) throws { try Swapping.act("willSave", self, &context) }
  func didSave(to context: inout Context) throws { try Swapping.act("didSave", self, &context) }
  func saveMetadata(to context: inout Context) throws { try Swapping.act("saveMetadata", self, &context) }
  func willDelete(from context: inout Context) throws { try Swapping.act("willDelete", self, &context) }
  func didDelete(from context: inout Context) throws { try Swapping.act("didDelete", self, &context) }
  func deleteMetadata(from context: inout Context) throws { try Swapping.act("deleteMetadata", self, &context) }
}

extension CollisionResolver where Entity == Swapper {
  fileprivate static var swap: Self {
    Self { _, entity, _, context in try Swapping.act("collision", entity, &context) }
  }
}

@EntityModel
private struct Piece {
  let id: Int
  @Relationship(deleteRule: .cascade) var next: Piece? = nil
}

@EntityModel
private struct Bystander {
  let id: Int
}

/// Where a context in the place of another one comes from.
private enum Origin: CaseIterable {
  case empty, other, older, view, earlierUpdate
}

/// Hooks get a context to change, not to put another one in its place: rows and types are known by their numbers.
@Suite struct ContextReplacingTests {
  /// Swapper 1 with the pieces 1 and 2, one behind the other.
  private static func saved() throws -> Context {
    var context = Context()
    try Bystander(id: 1).save(to: &context)
    try swapper(1, "one", Piece(id: 1, next: .relation(Piece(id: 2)))).save(to: &context)
    return context
  }

  private static func swapper(_ id: Int, _ name: String, _ piece: Piece) -> Swapper {
    var swapper = Swapper(id: id, name: name)
    swapper.$parts = .relation([piece])
    return swapper
  }

  private static let hooks = [
    "willSave", "didSave", "saveMetadata", "collision", "willDelete", "didDelete", "deleteMetadata",
  ]

  /// Saves, with a collision, or deletes.
  private func run(_ hook: String, in context: inout Context) throws {
    if hook.hasSuffix("Delete") || hook == "deleteMetadata" {
      try Swapper.delete(id: 1, from: &context)
    } else {
      try Self.swapper(2, "one", Piece(id: 3)).save(to: &context)
    }
  }

  private func expectUntouched(_ context: Context) {
    #expect(context.ids(Swapper.self) == [1] && context.ids(Bystander.self) == [1])
    #expect(Set(context.ids(Piece.self)) == [1, 2] && Database(context).check().isEmpty)
    #expect(Deleted<Swapper>.query().resolve(in: context).isEmpty)
  }

  @Test("another context is refused, and nothing is done", arguments: hooks, ["empty", "other", "before"])
  func others(_ hook: String, _ kind: String) throws {
    var context = try Self.saved()
    let before = context
    var other = Context()
    switch kind {
    case "other":
      // The same types with other numbers, and other rows.
      for id in 1...3 { try Piece(id: id).save(to: &other) }
      try Swapper(id: 7, name: "seven").save(to: &other)
    case "before": other = before
    default: break
    }
    let others = other
    Swapping.$act.withValue({ called, _, context in if called == hook { context = others } }) {
      #expect(throws: ModelError.contextReplaced("Swapper")) { try run(hook, in: &context) }
    }
    expectUntouched(context)
    // It can go on.
    try run(hook, in: &context)
    #expect(Database(context).check().isEmpty)
  }

  @Test("what is made of it may take its place", arguments: hooks) func descendants(_ hook: String) throws {
    var context = try Self.saved()
    Swapping.$act.withValue({ called, _, context in
      if called != hook { return }
      let before = context
      // Done, and undone.
      try Piece(id: 8).save(to: &context)
      context = before
      var copy = context
      try Piece(id: 9).save(to: &copy)
      context = copy
    }) {
      #expect(throws: Never.self) { try run(hook, in: &context) }
    }
    #expect(context.ids(Piece.self).contains(9) && !context.ids(Piece.self).contains(8))
    #expect(Database(context).check().isEmpty)
  }

  @Test("what was kept of an earlier call is another context") func earlierCalls() throws {
    let kept = Kept()
    var context = try Self.saved()
    Swapping.$act.withValue({ hook, entity, context in
      if hook != "willSave" { return }
      if let earlier = kept.context { context = earlier } else { kept.context = context }
    }) {
      #expect(throws: ModelError.contextReplaced("Swapper")) {
        for id in 2...3 { try Swapper(id: id, name: "n\(id)").save(to: &context) }
      }
    }
    #expect(context.ids(Swapper.self) == [1, 2])
  }

  @Test("within hooks of hooks, the outer ones' copies are older") func nested() throws {
    var context = try Self.saved()
    let kept = Kept()
    Swapping.$act.withValue({ hook, entity, context in
      switch (hook, entity.id) {
      case ("willSave", 2):
        kept.context = context
        try Swapper(id: 3, name: "three").save(to: &context)
      case ("didSave", 3): if let older = kept.context { context = older }
      default: break
      }
    }) {
      #expect(throws: ModelError.contextReplaced("Swapper")) {
        try Swapper(id: 2, name: "two").save(to: &context)
      }
    }
    expectUntouched(context)
    // A hook may live with the refusal of what it does itself.
    Swapping.$act.withValue({ hook, entity, context in
      switch (hook, entity.id) {
      case ("willSave", 2): try? Swapper(id: 3, name: "three").save(to: &context)
      case ("didSave", 3): context = Context()
      default: break
      }
    }) {
      #expect(throws: Never.self) { try Swapper(id: 2, name: "two").save(to: &context) }
    }
    #expect(context.ids(Swapper.self) == [1, 2] && Database(context).check().isEmpty)
  }

  @Test("an update of a database takes no other context", arguments: Origin.allCases)
  fileprivate func updates(_ origin: Origin) throws {
    let database = try Database(for: Bystander.self)
    try Bystander(id: 1).save(to: database)
    let (older, kept) = (database.entities, Kept())
    try database.update { context in
      kept.context = context
      try Bystander(id: 2).save(to: &context)
    }
    var other = Context()
    switch origin {
    case .empty: break
    case .other: try Piece(id: 7).save(to: &other)
    case .older: other = older
    case .view: other = database.view().entities
    case .earlierUpdate: other = try #require(kept.context)
    }
    #expect(throws: ModelError.contextReplaced("Database.update")) {
      try database.update { context in
        try Bystander(id: 3).save(to: &context)
        context = other
      }
    }
    let draft = database.edit()
    #expect(throws: ModelError.contextReplaced("Database.update")) { try draft.update { $0 = other } }
    #expect(try Bystander.results(in: database).map(\.id) == [1, 2])
    #expect(database.schema == (try schema(of: [Bystander.self])) && database.check().isEmpty && !draft.hasChanges)
    try Bystander(id: 4).save(to: database)
    #expect(try Bystander.results(in: database).map(\.id) == [1, 2, 4])
  }

  @Test("an update of a database takes what is made of its context") func updatesByCopies() throws {
    let database = Database()
    try database.update { context in
      let before = context
      try Bystander(id: 1).save(to: &context)
      context = before
      var copy = context
      try Bystander(id: 2).save(to: &copy)
      context = copy
    }
    #expect(try Bystander.results(in: database).map(\.id) == [2])
    #expect("\(ModelError.contextReplaced("Database.update"))".hasPrefix("the closure of an update has put"))
  }
}

/// Unchecked because one test uses it.
private final class Kept: @unchecked Sendable {
  var context: Context?
}
