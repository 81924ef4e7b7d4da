import Foundation
import Synchronization
import Testing

@testable import GQLModels
@testable import GQLiteModels

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

/// What hooks of the models below did, by type.
private final class Told: Sendable {
  static let shared = Told()
  private let counts = Mutex<[String: Int]>([:])
  func note(_ what: String) { counts.withLock { $0[what, default: 0] += 1 } }
  func count(_ what: String) -> Int { counts.withLock { $0[what] ?? 0 } }
}

/// Without hooks.
@EntityModel
private struct Bare {
  let id: Int
}

/// Each hook calls that of another model, which is none of its own.
@EntityModel
private struct Forwarding {
  let id: Int

  struct Refused: Error {}

  mutating func willSave(to context: inout Context) throws {
    var bare = Bare(id: 1)
    try bare.willSave(to: &context)
    Told.shared.note("willSave")
  }
  func didSave(to context: inout Context) throws {
    Told.shared.note("didSave")
    try Bare(id: 1).didSave(to: &context)
  }
  func willDelete(from context: inout Context) throws {
    Told.shared.note("willDelete")
    try Bare(id: 1).willDelete(from: &context)
    if id == 3 { throw Refused() }
  }
  func didDelete(from context: inout Context) throws {
    Told.shared.note("didDelete")
    try Bare(id: 1).didDelete(from: &context)
  }
}

@Suite struct HookTests {
  @Test func hooksThatCallThoseOfOthersGoOnRunning() throws {
    var context = Context()
    for id in 0..<5 {
      try Forwarding(id: id).save(to: &context)
      try Bare(id: id).save(to: &context)
    }
    #expect(Told.shared.count("willSave") == 5 && Told.shared.count("didSave") == 5)
    for id in 0..<5 {
      do { try Forwarding.delete(id: id, from: &context) } catch is Forwarding.Refused { #expect(id == 3) }
    }
    #expect(context.ids(Forwarding.self) == [3])
    #expect(Told.shared.count("willDelete") == 5 && Told.shared.count("didDelete") == 4)
    // Those without any are still known to have none.
    #expect(EntityInfo<Bare>.shared.hooks.savesQuietly && !EntityInfo<Forwarding>.shared.hooks.savesQuietly)
  }

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

/// Keeps no metadata.
@EntityModel
private struct Timeless {
  let id: Int
  var name = ""
  @Relationship(inverse: \.timeless) var stamped: [Stamped]?
  var folded: String { name.uppercased() }

  func saveMetadata(to context: inout Context) throws {}
  func deleteMetadata(from context: inout Context) throws {}
}

/// Keeps a time of its own.
@EntityModel
private struct Stamped {
  let id: Int
  @Relationship(inverse: \.stamped) var timeless: Timeless?

  func saveMetadata(to context: inout Context) throws {
    try updateMetadata(.updatedAt, value: Date(timeIntervalSince1970: Double(100 - id)), in: &context)
  }
}

@Suite struct MetadataTests {
  private let always = Date.distantPast...Date.distantFuture

  @Test func metadataCanBeSwitchedOff() throws {
    var context = try Context(for: Timeless.self, Stamped.self, Bare.self)
    for id in 1...3 { try Timeless(id: id, name: "a").save(to: &context) }
    try Bare(id: 1).save(to: &context)
    #expect(Timeless(id: 1).updatedAt(in: context) == nil && Bare(id: 1).updatedAt(in: context) != nil)
    #expect(Timeless.filter(.updated(within: always)).resolve(in: context).isEmpty)
    #expect(Timeless.query(1).filter(.updated(within: always)).resolve(in: context) == nil)
    #expect(Timeless.filter(!.updated(within: always)).resolve(in: context).count == 3)
    #expect(Timeless.filter(.updated(within: always) || \.id == 2).resolve(in: context).map(\.id) == [2])
    // Beside conditions and orders in Swift, too.
    #expect(Timeless.filter(\.folded == "A").filter(.updated(within: always)).resolve(in: context).isEmpty)
    #expect(Timeless.filter(\.folded == "A" || .updated(within: always)).resolve(in: context).count == 3)
    #expect(Timeless.filter(\.folded == "B" || .updated(within: always)).resolve(in: context).isEmpty)
    #expect(Timeless.query().sorted(by: .updatedAt).resolve(in: context).isEmpty)
    #expect(Timeless.query().sorted(by: .updatedAt.desc).limit(2).resolve(in: context).isEmpty)
    #expect(Timeless.query().sorted(by: \.folded).sorted(by: .updatedAt).resolve(in: context).isEmpty)
    #expect(Timeless.query([1, 2]).sorted(by: .updatedAt).resolve(in: context).isEmpty)
    #expect(Bare.query().sorted(by: .updatedAt).resolve(in: context).count == 1)
    #expect(Bare.filter(.updated(within: always)).resolve(in: context).count == 1)
    try Timeless.delete(id: 1, from: &context)
    #expect(Deleted<Timeless>.filter(.updated(within: always)).resolve(in: context).count == 1)
    #expect(Deleted<Timeless>.query().sorted(by: .updatedAt).resolve(in: context).count == 1)
  }

  @Test func metadataCanBeOnesOwn() throws {
    var context = try Context(for: Timeless.self, Stamped.self)
    try Timeless(id: 1).save(to: &context)
    for id in 1...3 { try Stamped(id: id).save(to: &context) }
    #expect(Stamped(id: 2).updatedAt(in: context) == Date(timeIntervalSince1970: 98))
    #expect(Stamped.query().sorted(by: .updatedAt).resolve(in: context).map(\.id) == [3, 2, 1])
    let range = Date(timeIntervalSince1970: 98)...Date(timeIntervalSince1970: 99)
    #expect(Stamped.filter(.updated(within: range)).resolve(in: context).map(\.id) == [1, 2])
    #expect(Timeless(id: 1).updatedAt(in: context, withNested: true) == nil)
    var holder = Timeless(id: 1)
    holder.$stamped = .relation([Stamped(id: 3)])
    #expect(holder.updatedAt(in: context, withNested: true) == Date(timeIntervalSince1970: 97))
    // Of others the time of the save, until they are saved again.
    try Bare(id: 1).save(to: &context)
    try Bare(id: 1).updateMetadata(.updatedAt, value: .distantPast, in: &context)
    #expect(Bare(id: 1).updatedAt(in: context) == .distantPast)
    try Bare(id: 1).save(to: &context)
    #expect(try #require(Bare(id: 1).updatedAt(in: context)) > .distantPast)
    try Bare(id: 9).updateMetadata(.updatedAt, value: .distantPast, in: &context)
    #expect(Bare(id: 9).updatedAt(in: context) == nil)
  }
}
