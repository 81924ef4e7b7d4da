import GQLBase
import GQLite

/// What is wrong with the command line.
struct UsageError: Error {
  let message: String
  let help: String?
  init(_ message: String, help: String? = "try 'gqlite --help'") {
    self.message = message
    self.help = help
  }
}

/// The words of the command line: flags in any order, with and without values, and the rest.
struct Arguments {
  private var flags: [(name: String, value: String?)] = []
  private(set) var operands: [String] = []

  /// Flags that take a value.
  private static let valued: Set<String> = [
    "schema", "data", "var", "vars", "vars-list", "operation", "format", "output", "timeout", "dialect", "costs",
    "diagnostics", "seconds", "expression", "max-bytes", "max-nodes", "max-memory", "now", "limit", "limits", "to",
    "data-root", "id", "input-format", "db", "since", "from", "mode", "every", "count",
    "branch", "into", "conflicts", "origin",
  ]
  /// Flags that take none.
  private static let plain: Set<String> = [
    "help", "version", "analyze", "check", "syntax", "update", "skip-bad", "graphql-strict", "allow-loss", "api",
    "introspection", "verbose", "read-only", "apply", "follow", "replace", "merge", "refresh", "drop", "changes",
  ]
  private static let short: [Character: String] = ["e": "expression", "o": "output", "h": "help", "V": "version"]

  init(_ words: [String]) throws(UsageError) {
    var index = 0
    var onlyOperands = false
    while index < words.count {
      let word = words[index]
      index += 1
      if onlyOperands || word == "-" || !word.hasPrefix("-") {
        operands.append(word)
        continue
      }
      if word == "--" {
        onlyOperands = true
        continue
      }
      var name: String
      var value: String?
      if word.hasPrefix("--") {
        let body = word.dropFirst(2)
        if let equals = body.firstIndex(of: "=") {
          name = String(body[..<equals])
          value = String(body[body.index(after: equals)...])
        } else {
          name = String(body)
        }
      } else {
        let letters = word.dropFirst()
        guard let first = letters.first, let long = Self.short[first] else { throw Self.unknown(word) }
        name = long
        if letters.count > 1 {
          guard Self.valued.contains(long) else { throw Self.unknown(word) }
          value = String(letters.dropFirst())
        }
      }
      if Self.plain.contains(name) {
        guard value == nil else { throw UsageError("--\(name) takes no value") }
      } else if Self.valued.contains(name) {
        if value == nil {
          guard index < words.count else { throw UsageError("--\(name) needs a value") }
          value = words[index]
          index += 1
        }
      } else {
        throw Self.unknown(word)
      }
      flags.append((name, value))
    }
  }

  private static func unknown(_ word: String) -> UsageError {
    let names = valued.union(plain).sorted()
    let bare = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
    let near = nearestNames(to: bare, in: names).first
    return UsageError(
      "there is no flag '\(word)'", help: near.map { "did you mean '--\($0)'?" } ?? "try 'gqlite --help'")
  }

  /// Removes and returns the first operand if it names a command. A word that is close to one, and no file, is an error.
  mutating func takeCommand(_ names: [String]) throws(UsageError) -> String? {
    guard let first = operands.first else { return nil }
    guard names.contains(first) else {
      guard !FileBytes.exists(first), !first.contains(".") else { return nil }
      let flags = ["help", "version"]
      let near =
        flags.contains(first) ? [first] : nearestNames(to: first, in: names + flags)
      guard let help = didYouMean(near.map { flags.contains($0) ? "--\($0)" : $0 }) else { return nil }
      throw UsageError("there is no command or file '\(first)'", help: help)
    }
    operands.removeFirst()
    return first
  }

  /// Removes the operands of which `body` makes something, and returns what it made.
  mutating func takeOperands<Made>(_ body: (String) throws -> Made?) rethrows -> [Made] {
    var made: [Made] = []
    var rest: [String] = []
    for operand in operands {
      if let one = try body(operand) { made.append(one) } else { rest.append(operand) }
    }
    operands = rest
    return made
  }

  /// Tells whether a flag is there, which is not taken.
  func has(_ name: String) -> Bool { flags.contains { $0.name == name } }

  /// Whether a flag without a value is there.
  mutating func flag(_ name: String) -> Bool {
    let found = flags.contains { $0.name == name }
    flags.removeAll { $0.name == name }
    return found
  }

  /// The value of a flag that may be given once.
  mutating func value(_ name: String) throws(UsageError) -> String? {
    let found = values(name)
    if found.count > 1 { throw UsageError("--\(name) is given twice") }
    return found.first
  }

  /// The values of a flag that may be given more than once.
  mutating func values(_ name: String) -> [String] {
    let found = flags.filter { $0.name == name }.compactMap(\.value)
    flags.removeAll { $0.name == name }
    return found
  }

  /// Demands that every flag was looked at: another is of no use to the command.
  func finish(_ command: String) throws(UsageError) {
    if let flag = flags.first {
      throw UsageError("'gqlite \(command)' has no flag '--\(flag.name)'", help: "try 'gqlite \(command) --help'")
    }
  }
}
