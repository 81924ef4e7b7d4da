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
