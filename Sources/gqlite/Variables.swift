import GQLBase
import GQLite

/// The variables that a command line gives.
struct Variables {
  private var texts: [(name: String, text: String)] = []
  private var json: [(name: String, value: Value)] = []

  init(_ arguments: inout Arguments, of session: Session) throws {
    for word in arguments.values("var") {
      guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
        throw UsageError("--var is written name=value, not '\(word)'")
      }
      var name = String(word[..<equals])
      if name.hasPrefix("$") { name.removeFirst() }
      guard !texts.contains(where: { $0.name == name }) else { throw UsageError("--var \(name) is given twice") }
      texts.append((name, String(word[word.index(after: equals)...])))
    }
    if let path = try arguments.value("vars") {
      guard case .object(let members) = try Value(variables: try Self.read(path, of: session), name: path) else {
        throw UsageError("\(path) is no JSON object", help: nil)
      }
      json = members.map { ($0.name, $0.value) }
    }
  }

  /// Bytes of a file of variables.
  private static let longest = 64 << 20

  /// Reads a file of variables. A byte order mark at its start is skipped.
  static func read(_ path: String, of session: Session) throws -> [UInt8] {
    let bytes = try session.read(path, atMost: longest)
    guard bytes.count <= longest else {
      throw UsageError("\(path): variables have at most \(longest) bytes", help: nil)
    }
    let start = FileBytes.textStart(of: bytes)
    return start == 0 ? bytes : Array(bytes[start...])
  }

  init(object: Value) {
    if case .object(let members) = object { json = members.map { ($0.name, $0.value) } }
  }

  /// Refuses variables that no operation of any document declares; those of a document that cannot be read are not known.
  ///
  /// One that a text uses without declaring it is for preparing to refuse, with its place.
  func checkNames(
    in documents: [Result<QueryDocument, QueryError>], operation: String?
  ) throws(UsageError) {
    var declared: Set<String> = []
    var undeclared: Set<String> = []
    for document in documents {
      guard case .success(let document) = document else { return }
      declared.formUnion(document.variableNames(of: operation))
      undeclared.formUnion(document.usedVariableNames.subtracting(document.variableNames(of: nil)))
    }
    for name in texts.map(\.name) where !declared.contains(name) && !undeclared.contains(name) {
      let near = nearestNames(to: name, in: declared.sorted()).first
      throw UsageError(
        "no operation declares the variable '$\(name)'", help: near.map { "did you mean '\($0)'?" })
    }
  }

  /// The values for one operation; `--var` goes before `--vars`.
  func values(for query: PreparedQuery) throws(QueryError) -> [String: Value] {
    var values: [String: Value] = [:]
    for variable in query.variables {
      if let text = texts.first(where: { $0.name == variable.name })?.text {
        values[variable.name] = try query.value(of: variable, from: text)
      } else if let given = json.last(where: { $0.name == variable.name }) {
        values[variable.name] = given.value
      }
    }
    return values
  }
}
