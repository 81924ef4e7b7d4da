// Types print without the name of the module that they are compiled in, which is not the one that programs import.

import GQLStore

extension Value: CustomStringConvertible {
  /// The value as compact JSON, as answers write it.
  public var description: String { json.json }
}

extension Value.Member: CustomStringConvertible {
  /// The member as compact JSON: `"name":"Ada"`.
  public var description: String { "\(Value.string(name)):\(value)" }
}

extension QueryError.Problem: CustomStringConvertible {
  /// One line: `error[unknown-field]: query:1:3: 'User' has no field 'nmae'`.
  public var description: String {
    var place = file
    if let line, let column { place += ":\(line):\(column)" }
    return "\(severity)[\(code)]: " + (place.isEmpty ? "" : place + ": ") + message
  }
}

extension QueryError.Problem.Severity: CustomStringConvertible {
  /// `error`, `warning` or `note`.
  public var description: String { rawValue }
}

extension Database: CustomStringConvertible {
  /// The types and how many entities they have: `Database(User: 2, Chat: 0)`.
  public var description: String { "Database(\(current.countText))" }
}

extension DatabaseView: CustomStringConvertible {
  /// The types and how many entities they have: `DatabaseView(User: 2, Chat: 0)`.
  public var description: String { "DatabaseView(\(snapshot.countText))" }
}

extension PreparedQuery: CustomStringConvertible {
  /// The operation's name: `PreparedQuery(Since)`.
  public var description: String { "PreparedQuery(\(name ?? ""))" }
}

extension PreparedQuery.Variable: CustomStringConvertible {
  /// Writes the declaration: `$min: Int!`.
  public var description: String { "$\(name): \(type)" }
}

extension DatabaseTransaction: CustomStringConvertible {
  /// `DatabaseTransaction(User: 2, Chat: 0)`, counted before the transaction.
  public var description: String { "DatabaseTransaction(\(base.countText))" }
}

extension QueryCancellation: CustomStringConvertible {
  /// Tells whether it is raised: `QueryCancellation(isCancelled: false)`.
  public var description: String { "QueryCancellation(isCancelled: \(isCancelled))" }
}

extension RunOptions: CustomStringConvertible {
  /// The options that were set.
  public var description: String {
    var parts: [String] = []
    if let timeout { parts.append("timeout: \(timeout)") }
    if let maximumBytes { parts.append("maximumBytes: \(maximumBytes)") }
    if let maximumNodes { parts.append("maximumNodes: \(maximumNodes)") }
    if let maximumMemory { parts.append("maximumMemory: \(maximumMemory)") }
    if let limits { parts.append("limits: \(limits)") }
    if let cancellation { parts.append("cancellation: \(cancellation)") }
    if let now { parts.append("now: \(now)") }
    return "RunOptions(\(parts.joined(separator: ", ")))"
  }
}

extension QueryDialect: CustomStringConvertible {
  /// The dialect's name.
  public var description: String { rawValue }
}

extension ConflictResolution: CustomStringConvertible {
  /// The case's name.
  public var description: String {
    switch self {
    case .fail: "fail"
    case .keep: "keep"
    case .replace: "replace"
    case .patch: "patch"
    }
  }
}

extension CommandArgument: CustomStringConvertible {
  /// Writes the argument in SDL: `id: ID!`.
  public var description: String { "\(name): \(type)" }
}

extension FunctionType: CustomStringConvertible {
  /// The type's name in the language: `DateTime`, `[Int]`.
  public var description: String {
    switch self {
    case .int: "Int"
    case .float: "Float"
    case .decimal: "Decimal"
    case .string: "String"
    case .boolean: "Boolean"
    case .id: "ID"
    case .dateTime: "DateTime"
    case .date: "Date"
    case .duration: "Duration"
    case .uuid: "UUID"
    case .bytes: "Bytes"
    case .json: "JSON"
    case .list(let element): "[\(element)]"
    }
  }
}

extension SchemaChange.Difference: CustomStringConvertible {
  /// Says what it is about, and in which way.
  public var description: String { "\(kind): \(message)" }
}

extension SchemaChange.Difference.Kind: CustomStringConvertible {
  /// `added`, `removed` or `changed`.
  public var description: String { rawValue }
}

extension SchemaChange.Effect: CustomStringConvertible {
  /// The sentence.
  public var description: String { message }
}
