/// The value of one query parameter, for both engines.
enum Parameter {
  case integer(Int)
  case text(String)
  /// A list of ids; SQLite gets it as a JSON text for `json_each`.
  case integers([Int])
}
