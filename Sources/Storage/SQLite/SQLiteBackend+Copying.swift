import CSQLite3
import GQLBase
import GQLEngine

/// A part of a file that copies take over beside the rows.
extension SQLiteBackend {
  /// Copies the records of the past of another file with the same schema.
  func copyHistory(from other: String, through version: Int64) throws(QueryError) {
    guard let history else { return }
    let connection = try opened()
    try connection.prepare("ATTACH ? AS source").run(binding: [(1, other)])
    var failure: QueryError?
    do throws(QueryError) {
      let isThere =
        try connection.integer(
          """
          SELECT count(*) FROM source.sqlite_schema WHERE name = 'gqlite_history'
          """) != 0
      if isThere {
        try transaction(connection) { () throws(QueryError) in
          let isSame = try connection.integer(
            "SELECT count(*) FROM gqlite_meta m JOIN source.gqlite_meta o USING (key, value) WHERE key = 'schema'")
          if isSame == 1 { try history.copy(through: version) }
        }
      }
    } catch {
      failure = error
    }
    try connection.execute("DETACH source")
    if let failure { throw failure }
  }
}
