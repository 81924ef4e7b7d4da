import Foundation
import GQLBase
import GQLParser
import Testing

/// GraphQL's reference parser for Python, as an oracle for verdicts and trees.
private enum GraphQLCore {
  static let isInstalled = run(["-c", "import graphql"]) == 0

  static func run(_ arguments: [String], input: URL? = nil, output: URL? = nil) -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    if input == nil { process.standardError = FileHandle.nullDevice }
    process.standardOutput = FileHandle.nullDevice
    do {
      if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
      if let output { process.standardOutput = try FileHandle(forWritingTo: output) }
      try process.run()
    } catch {
      return -1
    }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Reads documents that end with a zero byte; writes a line for each: `ERR`, or the tree in graphql-js's member order.
  static let script = #"""
    import sys, json
    from graphql import parse, GraphQLSyntaxError
    from graphql.language import ast as A
    ORDER = {
      'document': ['definitions'],
      'operation_definition': ['operation', 'name', 'variable_definitions', 'directives', 'selection_set'],
      'variable_definition': ['variable', 'type', 'default_value', 'directives'],
      'selection_set': ['selections'],
      'field': ['alias', 'name', 'arguments', 'directives', 'selection_set'],
      'argument': ['name', 'value'],
      'fragment_spread': ['name', 'directives'],
      'inline_fragment': ['type_condition', 'directives', 'selection_set'],
      'fragment_definition': ['name', 'type_condition', 'directives', 'selection_set'],
      'variable': ['name'], 'name': ['value'], 'int_value': ['value'], 'float_value': ['value'],
      'string_value': ['value', 'block'], 'boolean_value': ['value'], 'null_value': [], 'enum_value': ['value'],
      'list_value': ['values'], 'object_value': ['fields'], 'object_field': ['name', 'value'],
      'directive': ['name', 'arguments'], 'named_type': ['name'], 'list_type': ['type'], 'non_null_type': ['type'],
      'schema_definition': ['description', 'directives', 'operation_types'],
      'schema_extension': ['directives', 'operation_types'],
      'operation_type_definition': ['operation', 'type'],
      'scalar_type': ['description', 'name', 'directives'],
      'object_type': ['description', 'name', 'interfaces', 'directives', 'fields'],
      'interface_type': ['description', 'name', 'interfaces', 'directives', 'fields'],
      'union_type': ['description', 'name', 'directives', 'types'],
      'enum_type': ['description', 'name', 'directives', 'values'],
      'input_object_type': ['description', 'name', 'directives', 'fields'],
      'field_definition': ['description', 'name', 'arguments', 'type', 'directives'],
      'input_value_definition': ['description', 'name', 'type', 'default_value', 'directives'],
      'enum_value_definition': ['description', 'name', 'directives'],
      'directive_definition': ['description', 'name', 'arguments', 'repeatable', 'locations'],
    }
    for k in list(ORDER):
      if k.endswith('_type') and k not in ('named_type', 'list_type', 'non_null_type'):
        ORDER[k + '_definition'] = ORDER[k]
        ORDER[k + '_extension'] = ORDER.pop(k)
    def camel(s):
      p = s.split('_')
      return p[0] + ''.join(x.title() for x in p[1:])
    PLAN = {k: (camel('_' + k), [(f, camel(f)) for f in fs]) for k, fs in ORDER.items()}
    def tree(n):
      kind, fields = PLAN[n.kind]
      d = {'kind': kind}
      for f, key in fields:
        v = getattr(n, f, None)
        if v is None: continue
        if isinstance(v, (list, tuple)): v = [tree(x) for x in v]
        elif isinstance(v, A.Node): v = tree(v)
        elif hasattr(v, 'value'): v = v.value
        d[key] = v
      return d
    enc = json.JSONEncoder(ensure_ascii=False, separators=(',', ':')).encode
    out = sys.stdout
    for text in sys.stdin.buffer.read().decode().split('\0')[:-1]:
      try: line = enc(tree(parse(text, no_location=True)))
      except GraphQLSyntaxError: line = 'ERR'
      except RecursionError: line = 'SKIP'
      out.write(line + '\n')
    """#
}

@Suite struct DifferentialTests {
  private static let count = ProcessInfo.processInfo.environment["GQLITE_DIFFERENTIAL_DOCUMENTS"].flatMap { Int($0) }

  @Test(.enabled(if: GraphQLCore.isInstalled, "graphql-core is not installed: pip install graphql-core"))
  func verdictsAndTreesAreThoseOfGraphQLCore() throws {
    var generator = HostileDocuments(seed: 5)
    let documents = (0..<(Self.count ?? 100_000)).map { _ in generator.document() }
    let folder = FileManager.default.temporaryDirectory.appending(path: "gqlite-differential-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appending(path: "documents")
    let output = folder.appending(path: "trees")
    var bytes: [UInt8] = []
    for document in documents {
      bytes += document.utf8
      bytes.append(0)
    }
    try Data(bytes).write(to: input)
    try Data().write(to: output)
    try #require(GraphQLCore.run(["-X", "utf8", "-c", GraphQLCore.script], input: input, output: output) == 0)
    let lines = Array(try Data(contentsOf: output)).split(separator: 0x0A)
    try #require(lines.count == documents.count)

    var valid = 0
    var failures = 0
    for (document, expected) in zip(documents, lines) where failures < 20 {
      let source = SourceText(document)
      let parsed = parse(source, dialect: .graphql)
      if expected.elementsEqual("SKIP".utf8) { continue }
      if expected.elementsEqual("ERR".utf8) {
        if !parsed.hasErrors, !parsed.output.isOfSeptember2025, !document.contains("\\u{") {
          failures += 1
          Issue.record("should be refused: \(document)")
        }
        continue
      }
      valid += 1
      let actual = parsed.hasErrors ? "ERR" : graphQLJSON(parsed.output)
      if !actual.utf8.elementsEqual(expected) {
        failures += 1
        Issue.record("\(document)\n\(actual)\nshould be\n\(String(decoding: expected, as: UTF8.self))")
        continue
      }
      let extended = parse(source)
      if extended.hasErrors || extended.output != parsed.output {
        failures += 1
        Issue.record("other in the extended dialect: \(document)\n\(summary(extended.diagnostics, source))")
      }
    }
    #expect(valid > documents.count / 4)
    #expect(valid < documents.count)
  }
}

extension Document {
  /// True if a description stands where the specification of October 2021, which the oracle knows, has none.
  fileprivate var isOfSeptember2025: Bool {
    definitions.contains { definition in
      switch definition {
      case .operation(let node): node.description != nil || node.variables.contains { $0.description != nil }
      case .fragment(let node): node.description != nil
      default: false
      }
    }
  }
}

/// Short documents whose names are words of both languages, with every separator and with none, some of them broken.
private struct HostileDocuments {
  private var random: SeededGenerator
  private var text = ""
  private var needsSeparator = false
  private var budget = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private static let names = [
    "not", "and", "or", "in", "is", "as", "like", "ilike", "contains", "startsWith", "endsWith", "matches", "let",
    "func", "if", "on", "query", "mutation", "subscription", "fragment", "type", "extend", "schema", "implements",
    "input", "enum", "union", "directive", "repeatable", "interface", "scalar", "a", "b", "_", "__x", "e1", "E",
    "where",
    "true", "false", "null", "desc", "u", "x1y",
  ]

  mutating func document() -> String {
    text = ""
    needsSeparator = false
    budget = 34
    for _ in 0..<(roll(4) == 0 ? 2 : 1) { definition() }
    return roll(3) == 0 ? broken(text) : text
  }

  private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

  private mutating func pick(_ choices: [String]) -> String { choices[roll(choices.count)] }

  /// Appends a token, with a separator where it needs one and by chance.
  private mutating func put(_ token: String) {
    budget -= 1
    let first = token.utf8.first ?? 0
    let isWord = first == UInt8(ascii: "_") || first | 0x20 &- 0x61 < 26 || first &- 0x30 < 10
    if roll(3) == 0 || (needsSeparator && (isWord || token == "..." || first == 0x22)) {
      text += pick([" ", " ", " ", "\n", ",", "\t", "\r\n", ", ", "#not and\n", "\u{FEFF} ", " , ,"])
    }
    text += token
    let last = token.utf8.last ?? 0
    needsSeparator = isWord || last | 0x20 &- 0x61 < 26 || last &- 0x30 < 10 || last == 0x22 || last == 0x5F
  }

  private mutating func put(_ tokens: String...) { for token in tokens { put(token) } }

  private mutating func name(not excluded: Set<String> = []) {
    var name = pick(Self.names)
    while excluded.contains(name) { name = pick(Self.names) }
    put(name)
  }

  private mutating func many(_ limit: Int, _ body: (inout HostileDocuments) -> Void) {
    body(&self)
    for _ in 0..<roll(limit) where budget > 0 { body(&self) }
  }

  private mutating func definition() {
    switch roll(11) {
    case 0...2: selectionSet()
    case 3, 4:
      put(pick(["query", "mutation", "subscription"]))
      if roll(2) == 0 { name() }
      if roll(2) == 0 { variables() }
      directives(const: false)
      selectionSet()
    case 5:
      put("fragment")
      name(not: ["on"])
      put("on")
      name()
      directives(const: false)
      selectionSet()
    default: typeSystem()
    }
  }

  private mutating func variables() {
    put("(")
    many(3) {
      $0.put("$")
      $0.name()
      $0.put(":")
      $0.type()
      if $0.roll(2) == 0 {
        $0.put("=")
        $0.value(const: true)
      }
      $0.directives(const: true)
    }
    put(")")
  }

  private mutating func type() {
    if roll(3) == 0, budget > 0 {
      put("[")
      type()
      put("]")
    } else {
      name()
    }
    if roll(3) == 0 { put("!") }
  }

  private mutating func directives(const: Bool) {
    guard roll(5) == 0, budget > 0 else { return }
    put("@")
    name()
    if roll(2) == 0 { arguments(const: const) }
  }

  private mutating func arguments(const: Bool) {
    put("(")
    many(3) {
      $0.name()
      $0.put(":")
      $0.value(const: const)
    }
    put(")")
  }

  private mutating func value(const: Bool) {
    switch roll(budget > 0 ? 12 : 7) {
    case 0...2: name(not: [])
    case 3: put(pick(["0", "-1", "23", "-0", "9007199254740993"]))
    case 4: put(pick(["1.5", "-1.5e+3", "0E1", "-23.5", "6.0221413e23"]))
    case 5:
      put(
        pick([
          #""""#, #""a""#, #""\n\"\\\/\u00e9""#, #""é # not , """#.replacing("\"\"", with: "\""), #""""b""""#,
          "\"\"\"\n  a\n   b\n  \"\"\"", #""""q \""" \d""""#, "\"\"\"  x\r y\r\n z\"\"\"",
        ]))
    case 6:
      if const { return put(pick(["a", "true", "null"])) }
      put("$")
      name()
    case 7...9:
      put("[")
      for _ in 0..<roll(4) { value(const: const) }
      put("]")
    default:
      put("{")
      for _ in 0..<roll(3) {
        name()
        put(":")
        value(const: const)
      }
      put("}")
    }
  }

  private mutating func selectionSet() {
    put("{")
    many(4) { $0.selection() }
    put("}")
  }

  private mutating func selection() {
    switch roll(8) {
    case 0:
      put("...")
      name(not: ["on"])
      directives(const: false)
    case 1 where budget > 0:
      put("...")
      if roll(2) == 0 {
        put("on")
        name()
      }
      directives(const: false)
      selectionSet()
    default:
      if roll(3) == 0 {
        name()
        put(":")
      }
      name()
      if roll(3) == 0 { arguments(const: false) }
      directives(const: false)
      if roll(5) == 0, budget > 0 { selectionSet() }
    }
  }

  private mutating func typeSystem() {
    let isExtension = roll(4) == 0
    if isExtension { put("extend") } else if roll(4) == 0 { put(pick([#""text""#, #""""block""""#])) }
    switch roll(8) {
    case 0, 1:
      put(pick(["type", "interface"]))
      name()
      if roll(3) == 0 {
        put("implements")
        if roll(2) == 0 { put("&") }
        name()
        if roll(2) == 0 { put("&", pick(Self.names)) }
      }
      directives(const: true)
      put("{")
      many(3) {
        if $0.roll(6) == 0 { $0.put(#""d""#) }
        $0.name()
        if $0.roll(3) == 0 { $0.inputs("(", ")") }
        $0.put(":")
        $0.type()
        $0.directives(const: true)
      }
      put("}")
    case 2:
      put("union")
      name()
      directives(const: true)
      put("=")
      if roll(2) == 0 { put("|") }
      name()
      if roll(2) == 0 { put("|", pick(Self.names)) }
    case 3:
      put("enum")
      name()
      put("{")
      many(4) {
        $0.name(not: ["true", "false", "null"])
        $0.directives(const: true)
      }
      put("}")
    case 4:
      put("input")
      name()
      inputs("{", "}")
    case 5:
      put("scalar")
      name()
      directives(const: true)
    case 6:
      put("schema")
      directives(const: true)
      put("{", pick(["query", "mutation", "subscription"]), ":")
      name()
      put("}")
    default:
      put("directive", "@")
      name()
      if roll(2) == 0 { inputs("(", ")") }
      if roll(3) == 0 { put("repeatable") }
      put("on")
      if roll(2) == 0 { put("|") }
      put(pick(["FIELD", "QUERY", "ENUM_VALUE"]), "|", pick(["OBJECT", "SCHEMA", "INPUT_FIELD_DEFINITION"]))
    }
  }

  private mutating func inputs(_ opening: String, _ closing: String) {
    put(opening)
    many(3) {
      $0.name()
      $0.put(":")
      $0.type()
      if $0.roll(3) == 0 {
        $0.put("=")
        $0.value(const: true)
      }
      $0.directives(const: true)
    }
    put(closing)
  }

  /// The text with one or two characters or words taken out, doubled, or put in.
  private mutating func broken(_ text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    for _ in 0..<(1 + roll(2)) where !scalars.isEmpty {
      let place = roll(scalars.count)
      switch roll(4) {
      case 0: scalars.remove(at: place)
      case 1: scalars.insert(scalars[place], at: place)
      case 2: scalars[place] = scalars[roll(scalars.count)]
      default:
        let piece = pick([
          " ", ":", "!", "=", "$", "@", "...", "..", ".", "(", ")", "{", "}", "[", "]", "|", "&", "-", "+", "1", "not",
          "\"", "<", "==", "!=", ":=", "*", "^", "`", "'", "?", "/", "%", "0", "\\", "#", "\n", "é", "on ", "1.5", "-1",
        ])
        scalars.insert(contentsOf: piece.unicodeScalars, at: place)
      }
    }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: scalars)
    return String(result)
  }
}
