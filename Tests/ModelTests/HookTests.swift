import GQLiteModels
import Testing

/// Upper-cases what is saved, counts itself in a log, and refuses two names.
struct Guarded {
  let id: Int
  var name: String
}

extension Guarded: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("name", \.name)
  }

  init(from row: inout EntityReader<Self>) throws {
    id = try row.read("id")
    name = try row.read("name")
  }

  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(id, as: "id")
    try row.write(name, as: "name")
  }

  struct Refused: Error {}

  mutating func willSave(to context: inout Context) throws { name = name.uppercased() }

  func didSave(to context: inout Context) throws {
    try log("saved", in: &context)
    if name == "BAD" { throw Refused() }
  }

  func willDelete(from context: inout Context) throws { if name == "KEEP" { throw Refused() } }
  func didDelete(from context: inout Context) throws { try log("deleted", in: &context) }

  private func log(_ what: String, in context: inout Context) throws {
    try LogEntry(id: LogEntry.query().resolve(in: context).count + 1, text: "\(what) \(name)").save(to: &context)
  }
}

struct LogEntry {
  let id: Int
  let text: String
}

extension LogEntry: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("text", \.text)
  }

  init(from row: inout EntityReader<Self>) throws {
    id = try row.read("id")
    text = try row.read("text")
  }

  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(id, as: "id")
    try row.write(text, as: "text")
  }
}

@Suite struct HookTests {
  @Test func hooksRunAndMayRefuse() throws {
    var context = try Context(for: Guarded.self, LogEntry.self)
    func log() -> [String] { LogEntry.query().resolve(in: context).map(\.text) }
    try Guarded(id: 1, name: "a").save(to: &context)
    #expect(Guarded.query(1).resolve(in: context)?.name == "A")
    #expect(log() == ["saved A"])
    // What fails behind the save leaves nothing, not even what the hook itself saved.
    #expect(throws: Guarded.Refused.self) { try Guarded(id: 2, name: "bad").save(to: &context) }
    #expect(context.ids(Guarded.self) == [1])
    #expect(log() == ["saved A"])
    try Guarded(id: 3, name: "keep").save(to: &context)
    #expect(throws: Guarded.Refused.self) { try Guarded.delete(id: 3, from: &context) }
    try Guarded.delete(id: 1, from: &context)
    #expect(context.ids(Guarded.self) == [3])
    #expect(log() == ["saved A", "saved KEEP", "deleted A"])
  }
}

/// Merged with what is there, to which its hook adds.
struct Marked {
  let id: Int
  var marks: [String]
}

extension Marked: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("marks", \.marks)
  }

  init(from row: inout EntityReader<Self>) throws {
    id = try row.read("id")
    marks = try row.read("marks")
  }

  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(id, as: "id")
    try row.write(marks, as: "marks")
  }

  static var defaultMergeStrategy: MergeStrategy<Marked> { .append(\.marks) }

  func didSave(to context: inout Context) throws {
    if marks == ["gone"] {
      try context.remove(Marked.self, id: id)
    } else {
      try context.insert(Marked(id: id, marks: ["after \(marks.joined())"]))
    }
  }
}

@EntityModel
struct MarkedShelf {
  let id: Int
  @Relationship var marked: [Marked]? = nil
}

@Suite struct MergingWithHooksTests {
  /// The second of an entity in one graph is merged with what hooks made of the first.
  @Test func entitiesThatStandTwice() throws {
    var context = Context()
    try MarkedShelf(id: 1, marked: [Marked(id: 1, marks: ["a"]), Marked(id: 1, marks: ["b"])]).save(to: &context)
    #expect(Marked.query(1).resolve(in: context)?.marks == ["a", "after a", "b", "after b"])
    // There is nothing to merge with.
    try MarkedShelf(
      id: 1, marked: [Marked(id: 2, marks: ["gone"]), Marked(id: 2, marks: ["c"])]
    ).save(to: &context)
    #expect(Marked.query(2).resolve(in: context)?.marks == ["c", "after c"])
    #expect(MarkedShelf.query(1).id(\.$marked).resolve(in: context)?.$marked.ids == [2])
  }
}
