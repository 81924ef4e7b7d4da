// The only file that calls GQLite.

import GQLite

/// A loaded gqlite database.
struct Engine {
  private let database: Database

  /// Loads all types from their NDJSON; links are resolved across types.
  init(schema: String, sources: [(type: String, bytes: [UInt8])]) throws {
    database = try Database(schema: schema)
    try database.load(sources.map { .ndjson(type: $0.type, bytes: $0.bytes, name: "\($0.type).ndjson") })
  }

  /// One transaction of many runs.
  func together(_ query: EngineQuery, _ sets: [EngineVariables]) throws {
    try database.transaction { transaction in
      for set in sets { try transaction.run(query.prepared, set.values) }
    }
  }

  func prepare(_ document: String) throws -> EngineQuery {
    EngineQuery(prepared: try database.prepare(document))
  }
}

/// A prepared document.
struct EngineQuery {
  fileprivate let prepared: PreparedQuery

  /// Variables in the engine's own form, made before the clock runs.
  func variables(_ values: [(name: String, value: Parameter)]) -> EngineVariables {
    var variables: [String: Value] = [:]
    for (name, value) in values {
      switch value {
      case .integer(let number): variables[name] = .int(Int64(number))
      case .text(let text): variables[name] = .string(text)
      case .integers(let numbers): variables[name] = .list(numbers.map { .int(Int64($0)) })
      }
    }
    return EngineVariables(values: variables)
  }

  /// The answer as UTF-8.
  func run(_ variables: EngineVariables, into buffer: inout [UInt8]) throws {
    buffer.removeAll(keepingCapacity: true)
    try prepared.run(variables.values, into: &buffer)
  }
}

struct EngineVariables {
  fileprivate let values: [String: Value]
}
