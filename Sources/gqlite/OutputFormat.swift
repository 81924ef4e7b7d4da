import GQLite

/// How answers are written.
struct OutputFormat {
  enum Kind: String, CaseIterable { case pretty, json, ndjson, table, csv, graphql }
  let kind: Kind

  init(_ arguments: inout Arguments) throws {
    guard let name = try arguments.value("format") else {
      kind = Terminal.standardOutput.isTerminal ? .pretty : .json
      return
    }
    guard let kind = Kind(rawValue: name) else {
      throw UsageError(
        "--format is one of \(Kind.allCases.map(\.rawValue).joined(separator: ", ")), not '\(name)'")
    }
    self.kind = kind
  }

  /// `columns` names the columns of a table; it is asked for tables only.
  func render(_ answer: Answer, columns: () throws(QueryError) -> [String]?) throws(QueryError) -> [UInt8] {
    switch kind {
    case .json, .ndjson: answer.utf8 + [0x0A]
    case .pretty: answer.prettyUTF8 + [0x0A]
    case .graphql: Array(#"{"data":"#.utf8) + answer.utf8 + Array("}\n".utf8)
    case .table: try TextTable(answer, selected: columns()).rendered()
    case .csv: try TextTable(answer, selected: columns()).csv()
    }
  }

  /// A plan is text where answers are written for people.
  func render(plan answer: Answer) -> [UInt8] {
    switch kind {
    case .json, .ndjson: return answer.utf8 + [0x0A]
    case .graphql: return Array(#"{"data":"#.utf8) + answer.utf8 + Array("}\n".utf8)
    case .pretty, .table, .csv: break
    }
    guard case .object(let members) = answer.value, case .list(let lines)? = members.first?.value else {
      return answer.utf8 + [0x0A]
    }
    var text: [UInt8] = []
    for case .string(let line) in lines { text += Array(line.utf8) + [0x0A] }
    return text
  }

  /// GraphQL's response to an operation that failed.
  func envelope(_ error: QueryError) -> [UInt8] { error.graphQLResponse + [0x0A] }
}
