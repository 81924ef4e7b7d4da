/// What the command line asks for.
struct Options {
  static let usage = """
    usage: benchmark [options]
      --scale N        size of the data, 1 is 100,000 users and 1,000,000 messages (default 1)
      --seed N         seed of the data (default 2026)
      --only A,B       only the named queries; 'state' measures live queries, and nothing else
      --seconds N      time for each query and engine (default 1)
      --sqlite-only    measure the yardstick alone
      --no-memory      skip the two child processes that measure memory
      --json           one JSON object a line instead of a table
      --plans          print SQLite's query plans to standard error
      --write DIR      write schema.graphql and the NDJSON files to DIR, and stop
      --answers DIR    write each query, its variable sets, and SQLite's answer to the first set to DIR, and stop
      --command FILE   also measure the time to first byte of this gqlite binary on Examples/people
      --list           list the queries, and stop
    """

  var scale = 1.0
  var seed: UInt64 = 2026
  var only: [String] = []
  var seconds = 1.0
  var isSQLiteOnly = false
  var measuresMemory = true
  var isJSON = false
  var showsPlans = false
  var writeDirectory: String?
  var listsOnly = false
  var answersDirectory: String?
  var command: String?
  /// Set in a child process: the engine that loads `childData` and reports its memory.
  var child: String?
  var childData = ""

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(_ flag: String) throws -> String {
      guard let value = rest.popFirst() else { throw Failure("\(flag) wants a value") }
      return value
    }
    func number(_ flag: String) throws -> Double {
      guard let number = Double(try value(flag)), number > 0 else { throw Failure("\(flag) wants a positive number") }
      return number
    }
    while let flag = rest.popFirst() {
      switch flag {
      case "--scale": scale = try number(flag)
      case "--seed": seed = UInt64(try number(flag))
      case "--only": only += try value(flag).split(separator: ",").map(String.init)
      case "--seconds": seconds = try number(flag)
      case "--sqlite-only": isSQLiteOnly = true
      case "--no-memory": measuresMemory = false
      case "--json": isJSON = true
      case "--plans": showsPlans = true
      case "--write": writeDirectory = try value(flag)
      case "--answers": answersDirectory = try value(flag)
      case "--command": command = try value(flag)
      case "--list": listsOnly = true
      case "--child": child = try value(flag)
      case "--data": childData = try value(flag)
      default: throw Failure("unknown option \(flag)\n\(Options.usage)")
      }
    }
  }

  /// Whether the query or measurement of this name is asked for.
  func includes(_ name: String) -> Bool { only.isEmpty || only.contains(name) }
}

/// A benchmark that cannot go on, and why.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
