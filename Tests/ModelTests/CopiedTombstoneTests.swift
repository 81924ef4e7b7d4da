import GQLiteModels
import Testing

@EntityModel
private struct Part {
  let id: Int
  @Relationship(inverse: \.parts) var tag: Tag?
  @Relationship(deleteRule: .cascade, inverse: \.whole) var pieces: [Part]?
  @Relationship(inverse: \.pieces) var whole: Part?
}

@EntityModel
private struct Tag {
  let id: String
  @Relationship(inverse: \.tag) var parts: [Part]?
}

private protocol Estate: EntityModelProtocol where ID == Int {
  init(id: Int)
}

@EntityModel
private struct PartsFirst: Estate {
  let id: Int
  @Relationship var parts: [Part]? = nil
  @Relationship var tags: [Tag]? = nil
  @Relationship var goneParts: [Deleted<Part>]? = nil
  @Relationship var goneTags: [Deleted<Tag>]? = nil
  init(id: Int) { self.id = id }
}

@EntityModel
private struct TagsFirst: Estate {
  let id: Int
  @Relationship var goneTags: [Deleted<Tag>]? = nil
  @Relationship var goneParts: [Deleted<Part>]? = nil
  @Relationship var tags: [Tag]? = nil
  @Relationship var parts: [Part]? = nil
  init(id: Int) { self.id = id }
}

/// Leads to parts, which do not lead to it.
@EntityModel
private struct Crate {
  let id: Int
  @Relationship var parts: [Part]? = nil
}

/// What is deleted comes over with its links, in a copy of a copy too.
@Suite struct CopiedTombstoneTests {
  /// A context, a copy of it, and a copy of that.
  private func copies<Schema: Estate>(
    _ schema: Schema.Type, _ make: (inout Context) throws -> Void
  ) throws -> [Context] {
    var first = try Context(for: Schema.self)
    try Schema(id: 1).save(to: &first)
    try make(&first)
    var contexts = [first]
    for _ in 0..<3 {
      var copy = Context()
      for all in Schema.queryAll(with: .schemaEntities, .ids).resolve(in: contexts[contexts.count - 1]) {
        try all.save(to: &copy)
      }
      contexts.append(copy)
    }
    return contexts
  }

  private func part(_ id: Int, tag: String? = nil, pieces: [Int] = []) -> Part {
    var part = Part(id: id)
    if let tag { part.$tag = .id(tag) }
    if !pieces.isEmpty { part.$pieces = .ids(pieces) }
    return part
  }

  private func restore<Entity: EntityModelProtocol>(
    _ type: Entity.Type, _ id: Entity.ID, _ context: inout Context
  ) throws {
    try #require(Deleted<Entity>.query(id).resolve(in: context)).restore(in: &context)
  }

  private func bothOrders(_ check: (any Estate.Type) throws -> Void) throws {
    try check(PartsFirst.self)
    try check(TagsFirst.self)
  }

  @Test("links between two deleted entities", arguments: [true, false]) func pairs(_ tagFirst: Bool) throws {
    try bothOrders { schema in
      let contexts = try copies(schema) { context in
        try Tag(id: "x").save(to: &context)
        for id in 1...3 { try part(id, tag: "x").save(to: &context) }
        if tagFirst { try Tag.delete(id: "x", from: &context) }
        try Part.delete(id: 1, from: &context)
        try Part.delete(id: 3, from: &context)
        if !tagFirst { try Tag.delete(id: "x", from: &context) }
      }
      for (number, var context) in contexts.enumerated() {
        #expect(Database(context).check().isEmpty)
        // What is deleted knows what it was linked to then. So the one that went first knows the other; if that is a part,
        // a copy does not know its place among those that the tag names.
        let all = tagFirst || number == 0 ? [1, 2, 3] : [2, 1, 3]
        #expect(
          Deleted<Tag>.query("x").resolve(in: context)?.entity.$parts.ids == (tagFirst || number > 0 ? all : [2]))
        #expect(
          Deleted<Part>.query(1).resolve(in: context)?.entity.$tag.id == (tagFirst && number == 0 ? nil : "x"))
        var other = context
        try restore(Part.self, 1, &context)
        #expect(Part.query(1).id(\.$tag).resolve(in: context)?.$tag.id == nil)
        try restore(Tag.self, "x", &context)
        #expect(Tag.query("x").id(\.$parts).resolve(in: context)?.$parts.ids == all.filter { $0 < 3 })
        try restore(Part.self, 3, &context)
        #expect(Tag.query("x").id(\.$parts).resolve(in: context)?.$parts.ids == all)
        try restore(Tag.self, "x", &other)
        #expect(Tag.query("x").id(\.$parts).resolve(in: other)?.$parts.ids == [2])
        try restore(Part.self, 3, &other)
        try restore(Part.self, 1, &other)
        #expect(Tag.query("x").id(\.$parts).resolve(in: other)?.$parts.ids == all)
        for each in [context, other] { #expect(Database(each).check().isEmpty) }
      }
    }
  }

  @Test("links of what was deleted as one") func cascades() throws {
    try bothOrders { schema in
      let contexts = try copies(schema) { context in
        for id in 2...4 { try Part(id: id).save(to: &context) }
        try part(1, pieces: [2, 3]).save(to: &context)
        try part(3, pieces: [4]).save(to: &context)
        try Part.delete(id: 1, from: &context)
      }
      for var context in contexts.dropFirst() {
        #expect(Deleted<Part>.query(1).resolve(in: context)?.entity.$pieces.ids == [2, 3])
        #expect(Deleted<Part>.query(3).resolve(in: context)?.entity.$whole.id == 1)
        for id in [4, 3, 1, 2] where Part.query(id).resolve(in: context) == nil { try restore(Part.self, id, &context) }
        #expect(Part.query(1).id(\.$pieces).resolve(in: context)?.$pieces.ids == [2, 3])
        #expect(Part.query(3).id(\.$pieces).resolve(in: context)?.$pieces.ids == [4])
        #expect(Database(context).check().isEmpty)
      }
    }
  }

  @Test("types that come to be known change nothing of what deleted entities know") func typesThatComeLater() throws {
    var context = Context()
    var tag = Tag(id: "x")
    tag.$parts = .ids([1])
    try Deleted(tag).save(to: &context)
    try Deleted(part(1, tag: "x")).save(to: &context)
    func check() {
      #expect(Deleted<Part>.query(1).resolve(in: context)?.entity.$tag.id == "x")
      #expect(Deleted<Tag>.query("x").resolve(in: context)?.entity.$parts.ids == [1])
    }
    check()
    try Crate(id: 1).save(to: &context)
    check()
    #expect(Database(context).check().isEmpty)
  }
}
