import GQLite
import Testing

/// A database, and a context that was made of it before both were changed.
struct MergeScene {
  let database: Database
  let draft: EditingContext

  /// - Parameters:
  ///   - start: Mutation fields that fill the database.
  ///   - loading: A file of JSON that is loaded then, so that links may wait.
  ///   - mine: Mutation fields that are run in the context.
  ///   - theirs: Those that are run on the database meanwhile.
  init(
    _ schema: String, _ start: String = "", loading: String = "", mine: String = "", theirs: String = "",
    mode: EditingMode = .snapshot
  ) throws {
    database = try Database(schema: schema)
    if !start.isEmpty { try database.run("mutation { \(start) }") }
    if !loading.isEmpty { try database.load([.json(text: loading)]) }
    draft = database.edit(mode)
    if !mine.isEmpty { try draft.run("mutation { \(mine) }") }
    if !theirs.isEmpty { try database.run("mutation { \(theirs) }") }
  }

  @discardableResult
  func saved(_ query: String, at location: SourceLocation = #_sourceLocation) throws -> String {
    try saved(.fail, query, at: location)
  }

  /// Saves, and returns what the database answers to a query; both it and the context are whole afterwards.
  @discardableResult
  func saved(
    _ choice: MergeChoice, _ query: String, at location: SourceLocation = #_sourceLocation
  ) throws -> String {
    try draft.save(conflicts: choice)
    #expect(database.check() == [], sourceLocation: location)
    let answer = try database.run(query).jsonString
    #expect(try draft.run(query).jsonString == answer, sourceLocation: location)
    #expect(!draft.hasChanges, sourceLocation: location)
    return answer
  }

  /// The conflicts that saving fails with, as ``MergeConflict/kind``, type, id and field. Both sides are as before.
  func refusal(_ choice: MergeChoice = .fail, at location: SourceLocation = #_sourceLocation) throws -> [String] {
    let (here, there) = (draft.database.schema, database.version)
    let changes = draft.changes.description
    do {
      try draft.save(conflicts: choice)
      Issue.record("nothing was in conflict", sourceLocation: location)
      return []
    } catch {
      #expect(draft.database.schema == here && database.version == there, sourceLocation: location)
      #expect(draft.changes.description == changes, sourceLocation: location)
      #expect(error.problems.allSatisfy { $0.code == "merge-conflict" }, "\(error)", sourceLocation: location)
      return error.problems.map(\.message)
    }
  }
}
