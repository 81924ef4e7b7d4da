import GQLBase

extension Answer {
  /// The answer as JSON on many lines, indented by two spaces; empty lists and objects stay on one.
  public var prettyJSONString: String { String(decoding: prettyUTF8, as: UTF8.self) }

  package var prettyUTF8: [UInt8] { PrettyJSON.format(utf8) }
}

/// Compact JSON to indented JSON, byte by byte.
package enum PrettyJSON {
  package static func format(_ json: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(json.count * 2)
    var depth = 0
    var index = 0
    func newLine() {
      out.append(0x0A)
      for _ in 0..<depth {
        out.append(0x20)
        out.append(0x20)
      }
    }
    while index < json.count {
      let byte = json[index]
      index += 1
      switch byte {
      case 0x22:
        out.append(byte)
        while index < json.count {
          let inner = json[index]
          index += 1
          out.append(inner)
          if inner == 0x22 { break }
          if inner == 0x5C, index < json.count {
            out.append(json[index])
            index += 1
          }
        }
      case 0x7B, 0x5B:
        out.append(byte)
        if index < json.count, json[index] == 0x7D || json[index] == 0x5D {
          out.append(json[index])
          index += 1
        } else {
          depth += 1
          newLine()
        }
      case 0x7D, 0x5D:
        depth = max(0, depth - 1)
        newLine()
        out.append(byte)
      case 0x2C:
        out.append(byte)
        newLine()
      case 0x3A:
        out.append(byte)
        out.append(0x20)
      case 0x20, 0x0A, 0x0D, 0x09: break
      default: out.append(byte)
      }
    }
    return out
  }
}

extension Value {
  /// The value as compact JSON.
  public var jsonText: String { json.json }

  /// Reads JSON text that has a name for messages.
  ///
  /// - Throws: ``QueryError`` with the place of what is not JSON.
  package init(json utf8: [UInt8], name: String) throws(QueryError) {
    do {
      self.init(try JSONValue.parse(utf8))
    } catch {
      throw QueryError(error, in: SourceText(name: name, bytes: utf8))
    }
  }

  /// The values of variables, where a key that is given twice is a mistake.
  package init(variables utf8: [UInt8], name: String) throws(QueryError) {
    do {
      self.init(try JSONValue.parse(utf8, hasUniqueKeys: true))
    } catch {
      throw QueryError(error, in: SourceText(name: name, bytes: utf8))
    }
  }
}

extension QueryError {
  /// GraphQL's response to an operation that failed: `{"data":null,"errors":[…]}`.
  package var graphQLResponse: [UInt8] {
    let errors = problems.filter { $0.severity == .error }.map { problem -> JSONValue in
      var members: [JSONValue.Member] = [JSONValue.Member("message", .string(Text(problem.message)))]
      if let line = problem.line, let column = problem.column {
        members.append(
          JSONValue.Member(
            "locations",
            .array([
              .object([
                JSONValue.Member("line", .number(Int64(line))), JSONValue.Member("column", .number(Int64(column))),
              ])
            ])))
      }
      var extensions = [JSONValue.Member("code", .string(Text(problem.code)))]
      if let help = problem.help { extensions.append(JSONValue.Member("help", .string(Text(help)))) }
      members.append(JSONValue.Member("extensions", .object(extensions)))
      return .object(members)
    }
    var buffer = ByteBuffer(capacity: 256)
    buffer.append(
      json: .object([JSONValue.Member("data", .null), JSONValue.Member("errors", .array(errors))]))
    return buffer.takeArray()
  }

  /// `--format jsonl` of an answer with a list beside other fields.
  package static var needsOneList: QueryError {
    QueryError(
      code: DocumentProblem.needsOneList.code, "'jsonl' has a line for each element of one root list",
      help: "select one list, or use '--format ndjson', which has a line for each answer")
  }
}
