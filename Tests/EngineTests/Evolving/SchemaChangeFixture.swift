import GQLStore
import Testing

@testable import GQLEngine

/// One database before and after a change of its schema.
struct SchemaChangeFixture {
  let database: Database

  /// `data` is one object of lists by type; `mutations` run after loading.
  init(_ schema: String, _ data: String = "{}", _ mutations: String...) throws {
    database = try Database(schema: schema)
    try database.load([.document(data)])
    for mutation in mutations { _ = try database.query(mutation) }
    try #require(database.check() == [])
  }

  /// Makes the change; the store must hang together afterwards.
  @discardableResult
  func change(
    to schema: String, allowingLoss: Bool = false, options: RunOptions = RunOptions(),
    at location: SourceLocation = #_sourceLocation
  ) throws -> SchemaChange {
    let told = try database.schemaChange(to: schema, options: options)
    let made = try database.changeSchema(to: schema, allowingLoss: allowingLoss, options: options)
    #expect(told == made, sourceLocation: location)
    #expect(database.check() == [], sourceLocation: location)
    let printed = try Database(schema: schema).schema
    #expect(database.schema == printed, sourceLocation: location)
    return made
  }

  /// The codes and messages of the refusal, which must leave everything as it was.
  func refusal(
    of schema: String, allowingLoss: Bool = false, at location: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    let snapshot = database.current
    let digest = snapshot.memoryDigest
    do {
      try database.changeSchema(to: schema, allowingLoss: allowingLoss)
      Issue.record("nothing was refused", sourceLocation: location)
      return []
    } catch {
      #expect(database.current === snapshot && snapshot.memoryDigest == digest, sourceLocation: location)
      #expect(database.check() == [], sourceLocation: location)
      return error.problems.map { "\($0.code): \($0.message)" }
    }
  }

  func answer(_ query: String) throws -> String { try database.query(query).jsonString }
}
