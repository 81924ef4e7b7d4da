import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// No more than ten.
@propertyWrapper
private struct Clamped: Equatable {
  private var value: Int?
  var wrappedValue: Int? {
    get { value }
    set { value = newValue.map { min($0, 10) } }
  }
  init(wrappedValue: Int?) { value = wrappedValue.map { min($0, 10) } }
}

@EntityModel
private struct Form {
  let id: Int
  let note: String?
  let tags: [String]?
  @Clamped var n: Int? = nil
  var q: Int?
  var watched: Int? { didSet { changes += 1 } }
  private(set) var secret: String? = "s"
  var changes = 0
  var s: String
}

@EntityModel
private struct Twice {
  let id: Int
  var name = ""
  var both: Int??
}

@EntityModel
private struct Leads {
  let id: Int
  @Relationship var twice: Twice? = nil
}

@EntityModel
private struct Dated: Codable, Equatable {
  let id: Int
  var at: Date
  var point: Point
  var all: [Point] = []

  struct Point: Codable, Equatable { var when: Date, until: Date? = nil, bytes = Data([1, 2]) }
}

/// Reading entities in part, and what cannot be read.
@Suite struct PartReadingTests {
  /// Saved as fragments they forget nothing, whatever was read of them.
  @Test func fragments() throws {
    var context = Context()
    var form = Form(id: 1, note: "n", tags: ["t"], n: 4, q: 5, watched: 6, s: "a")
    form.changes = 3
    try form.save(to: &context)
    let text = "{ Form { id note tags n q watched secret changes s } }"
    let before = try context.query(text).jsonString
    for paths in [[\Form.s], [\.q], [\.note, \.watched], [], [\.n, \.secret]] as [[PartialKeyPath<Form>]] {
      let part = try #require(try Form.query().fetchKeyPaths(paths).results(in: context).first)
      #expect(part.q == (paths.contains(\.q) ? 5 : nil))
      try part.save(to: &context, options: .fragment)
      #expect(try context.query(text).jsonString == before)
    }
  }

  @Test func optionalsOfOptionals() throws {
    var context = Context()
    let problem = ModelError.invalidSchema(
      "'both' of Twice is an optional of an optional, Optional<Optional<Int>>, and a column has one null only")
    #expect(throws: problem) { try Twice(id: 1, both: 2).save(to: &context) }
    #expect(throws: problem) { try Context(for: Twice.self) }
    #expect(throws: problem) { try Context(for: Leads.self) }
    #expect(throws: problem) { try schema(of: [Twice.self]) }
    let database = try Database(schema: "type Twice { id: Int! name: String! both: Int }")
    #expect(throws: problem) { try Twice(id: 1, both: 2).save(to: database) }
  }

  /// Dates within JSON are as JSONEncoder writes them, those of columns are texts.
  @Test func datesInAnswers() throws {
    var context = Context()
    let (at, when) = (Date(timeIntervalSince1970: 1_000_000.5), Date(timeIntervalSince1970: 86_400.25))
    let dated = Dated(
      id: 1, at: at, point: .init(when: when, until: at), all: [.init(when: at), .init(when: when, bytes: Data())])
    try dated.save(to: &context)
    #expect(Dated.query(1).resolve(in: context) == dated)
    #expect(try context.query("{ Dated { id at point all } }", as: [Dated].self) == [dated])
    struct Part: Decodable, Equatable { var when: Date, until: Date? }
    struct Found: Decodable, Equatable { var at: Date, point: Part }
    #expect(
      try context.query("{ Dated { at point } }", as: [Found].self) == [
        Found(at: at, point: Part(when: when, until: at))
      ])
    struct Wrong: Decodable { var at: [String: Date] }
    #expect(throws: DecodingError.self) { try context.query("{ Dated { at } }", as: [Wrong].self) }
  }
}
