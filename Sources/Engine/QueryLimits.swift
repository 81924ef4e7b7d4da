import GQLBase
import GQLBinder
import GQLExecutor
import GQLLexer
import GQLParser
import GQLRegex

/// A set of bounds for documents and runs. Running past a limit is an error that names it.
///
/// A database has limits for all its documents and runs (``Database/limits``); a run may have others
/// (``RunOptions/limits``). With a limit that cannot be, such as a negative one, no document is prepared: that is the
/// error `wrong-limit`.
public struct QueryLimits: Sendable, Hashable {
  /// Bytes of a document.
  public var documentBytes = 1 << 20
  /// Tokens of a document.
  public var tokens = 100_000
  /// Selections, lists, objects, types and parentheses inside each other, at most 200: what walks a document must fit
  /// the stack of any thread.
  public var nesting = 200
  /// Fields and `let`s in one selection.
  public var fields = 10_000
  /// Selections and expressions once fragments, functions and `let`s are put in their places.
  public var expansion = 100_000
  /// Problems that are reported for a document.
  public var problems = 100
  /// Rows that a run looks at; nil for any number.
  public var visitedRows: Int?
  /// Objects and bare values in an answer; nil for any number.
  public var answerNodes: Int?
  /// Bytes of an answer; nil for any number.
  public var answerBytes: Int?
  /// Wall time of a run, and of preparing it; nil for as long as it takes.
  public var time: Duration?
  /// Bytes of working memory of a run, beside its answer, and of what preparing makes; nil for any number. Texts and
  /// lists that a mutation writes count each time they are written.
  public var memory: Int?
  /// Levels of a `@recurse`: objects inside each other in the answer.
  public var recursionDepth = 10_000
  /// Entities that one `@recurse` may give. The ways through a graph are more than any memory holds.
  public var recursionEntities = 10_000_000
  /// Bytes of one computed text.
  public var textBytes = 64 << 20
  /// Elements of one computed list.
  public var listElements = 1 << 20
  /// Bytes of a regular expression.
  public var patternBytes = 4096
  /// Steps that matching a regular expression with one text may take.
  public var patternSteps = 1_000_000
  /// Nested backtracking of one match. Compiled patterns are bounded by their stack, which is no deeper.
  public var patternDepth = 100_000
  /// Bytes of memory of one match.
  public var patternMemory = 16 << 20

  /// Live queries that one database has at a time; see ``PreparedQuery/live(_:mode:every:)``.
  public var liveQueries = 65_536
  /// Bytes of all answers of a database's live queries, and of what they depend on.
  public var liveBytes = 1 << 30

  private init() {}

  /// For documents that one wrote oneself: generous for the document, none for the run.
  public static let standard = QueryLimits()

  /// For untrusted documents.
  public static let serve: QueryLimits = {
    var limits = QueryLimits()
    limits.documentBytes = 64 << 10
    limits.tokens = 15_000
    limits.nesting = 32
    limits.fields = 500
    limits.expansion = 10_000
    limits.problems = 20
    limits.visitedRows = 10_000_000
    limits.answerNodes = 100_000
    limits.answerBytes = 16 << 20
    limits.time = .seconds(5)
    limits.memory = 256 << 20
    limits.recursionDepth = 500
    limits.recursionEntities = 100_000
    limits.textBytes = 1 << 20
    limits.listElements = 100_000
    limits.patternBytes = 1024
    limits.patternSteps = 250_000
    limits.patternDepth = 10_000
    limits.patternMemory = 4 << 20
    limits.liveQueries = 4096
    limits.liveBytes = 256 << 20
    return limits
  }()

  /// A limit by the name that errors and the command's `--limit` use.
  private struct Field: Sendable {
    var name: String
    var allowed: ClosedRange<Int>
    var get: @Sendable (QueryLimits) -> Int?
    var set: @Sendable (inout QueryLimits, Int) -> Void

    init(_ name: String, _ allowed: ClosedRange<Int>, _ path: WritableKeyPath<QueryLimits, Int> & Sendable) {
      self.name = name
      self.allowed = allowed
      get = { $0[keyPath: path] }
      set = { $0[keyPath: path] = $1 }
    }

    init(_ name: String, _ path: WritableKeyPath<QueryLimits, Int?> & Sendable) {
      self.name = name
      allowed = 0...Int.max
      get = { $0[keyPath: path] }
      set = { $0[keyPath: path] = $1 }
    }

    init(time name: String) {
      self.name = name
      allowed = 0...Int.max
      get = { $0.time.map { $0 < .zero ? -1 : 0 } }
      set = { $0.time = .milliseconds($1) }
    }
  }

  private static let fields: [Field] = [
    // Offsets are 32 bits wide.
    Field("document-bytes", 0...Int(Int32.max), \.documentBytes), Field("tokens", 0...Int.max, \.tokens),
    Field("nesting", 1...ParserLimits.deepestNesting, \.nesting), Field("fields", 1...Int.max, \.fields),
    Field("expansion", 1...Int.max, \.expansion), Field("problems", 1...Int.max, \.problems),
    Field("visited-rows", \.visitedRows), Field("answer-nodes", \.answerNodes), Field("answer-bytes", \.answerBytes),
    Field(time: "time"), Field("memory", \.memory), Field("recursion-depth", 1...Int.max, \.recursionDepth),
    Field("recursion-entities", 1...Int.max, \.recursionEntities), Field("text-bytes", 0...Int.max, \.textBytes),
    Field("list-elements", 0...Int.max, \.listElements), Field("pattern-bytes", 0...Int.max, \.patternBytes),
    Field("pattern-steps", 0...Int(UInt32.max), \.patternSteps),
    Field("pattern-depth", 0...Int(UInt32.max), \.patternDepth),
    Field("pattern-memory", 0...Int(UInt32.max) * 1024, \.patternMemory),
    Field("live-queries", 0...Int.max, \.liveQueries), Field("live-bytes", 0...Int.max, \.liveBytes),
  ]

  /// The names of all limits.
  package static var names: [String] { fields.map(\.name) }

  /// Sets a limit by its name, times in milliseconds; false where there is none of that name.
  package mutating func set(_ name: String, to value: Int) -> Bool {
    guard let field = Self.fields.first(where: { $0.name == name }) else { return false }
    field.set(&self, value)
    return true
  }

  /// What is wrong with the first limit that has a value which it cannot have; nil for none.
  package var fault: String? {
    // Those of nearly all databases.
    if self == .standard || self == .serve { return nil }
    for field in Self.fields {
      guard let value = field.get(self), !field.allowed.contains(value) else { continue }
      if field.name == "time" { return "the limit 'time' is not below zero" }
      let words =
        field.allowed.upperBound == .max
        ? "at least \(field.allowed.lowerBound)" : "from \(field.allowed.lowerBound) to \(field.allowed.upperBound)"
      return "the limit '\(field.name)' is \(words), not \(value)"
    }
    return nil
  }

  // MARK: - As the stages take them

  var parser: ParserLimits {
    ParserLimits(
      lexer: LexerLimits(bytes: max(0, documentBytes), tokens: max(0, tokens), diagnostics: max(1, problems)),
      nesting: min(max(1, nesting), 200), diagnostics: max(1, problems))
  }

  /// A schema is nobody's request: what is stricter than the standard does not hold for it. Problems are only told.
  var parserOfSchema: ParserLimits {
    var limits = QueryLimits.standard
    limits.documentBytes = max(limits.documentBytes, documentBytes)
    limits.tokens = max(limits.tokens, tokens)
    limits.problems = problems
    return limits.parser
  }

  var binding: BindingOptions.Limits {
    var limits = BindingOptions.Limits()
    limits.nodes = max(1, expansion)
    limits.fields = max(1, fields)
    limits.depth = min(limits.depth, max(1, nesting) + 50)
    limits.diagnostics = max(1, problems)
    limits.patterns = patterns
    return limits
  }

  var patterns: PatternLimits {
    PatternLimits(
      patternBytes: max(0, patternBytes), match: UInt32(clamping: patternSteps), depth: UInt32(clamping: patternDepth),
      heap: UInt32(clamping: patternMemory / 1024))
  }

  /// The limits as the executor takes them; the time starts now.
  var run: RunLimits { run(since: nil) }

  /// The limits as the executor takes them; the time starts at a moment of the monotonic clock, or now.
  func run(since start: UInt64?) -> RunLimits {
    var limits = RunLimits()
    if let time {
      let parts = time.components
      let milliseconds = Double(parts.seconds) * 1000 + Double(parts.attoseconds) / 1e15
      limits.allow(
        milliseconds: Int(max(0, min(milliseconds.rounded(.up), 1e15))), since: start ?? MonotonicClock.now)
    }
    if let answerBytes { limits.maximumBytes = max(0, answerBytes) }
    if let answerNodes { limits.maximumNodes = max(0, answerNodes) }
    if let memory { limits.maximumMemory = max(0, memory) }
    if let visitedRows { limits.maximumVisitedRows = max(0, visitedRows) }
    limits.maximumNesting = max(1, recursionDepth)
    limits.maximumRecursion = max(1, recursionEntities)
    limits.maximumText = max(0, textBytes)
    limits.maximumElements = max(0, listElements)
    limits.patterns = patterns
    return limits
  }
}

extension QueryLimits: CustomStringConvertible {
  /// The limits that differ from ``standard``, by their names.
  public var description: String {
    let parts = Self.fields.compactMap { field -> String? in
      if field.name == "time" { return time == Self.standard.time ? nil : "time: \(time.map { "\($0)" } ?? "off")" }
      let value = field.get(self)
      return value == field.get(.standard) ? nil : "\(field.name): \(value.map(String.init) ?? "off")"
    }
    return "QueryLimits(\(parts.joined(separator: ", ")))"
  }
}
