import GQLBase
import GQLCatalog
import GQLRegex

extension RuntimeProblem {
  package static let diagnosticCodes: [DiagnosticCode] = [
    "overflow", "division-by-zero", "conversion", "invalid-pattern", "pattern-limit", "limit-exceeded",
    "negative-limit", "missing-parameter", "wrong-depth", "invalid-cursor", "timeout", "cancelled", "memory",
    "out-of-domain", "function-failed", "ambiguous-link",
  ].map { DiagnosticCode($0) }

  package var code: DiagnosticCode {
    switch kind {
    case .overflow, .wideInt: DiagnosticCode("overflow")
    case .divisionByZero: DiagnosticCode("division-by-zero")
    case .conversion: DiagnosticCode("conversion")
    case .invalidPattern: DiagnosticCode("invalid-pattern")
    case .patternLimit: DiagnosticCode("pattern-limit")
    case .limitExceeded: DiagnosticCode("limit-exceeded")
    case .negativeLimit: DiagnosticCode("negative-limit")
    case .ambiguousLink: DiagnosticCode("ambiguous-link")
    case .missingParameter, .nullArgument: DiagnosticCode("missing-parameter")
    case .wrongDepth: DiagnosticCode("wrong-depth")
    case .invalidCursor: DiagnosticCode("invalid-cursor")
    case .timeout: DiagnosticCode("timeout")
    case .cancelled: DiagnosticCode("cancelled")
    case .memory: DiagnosticCode("memory")
    case .outOfDomain, .roundingPlaces: DiagnosticCode("out-of-domain")
    case .partialDay: DiagnosticCode("conversion")
    case .function: DiagnosticCode("function-failed")
    }
  }

  /// The problem in words. `entityID` is the printed id of ``entity``, looked up by the caller, who has the snapshot.
  package func diagnostic(catalog: Catalog, entityID: String?) -> Diagnostic {
    var message: String
    var help: String?
    switch kind {
    case .overflow(let type):
      message = "the result is out of the range of \(type.rawValue)"
    case .wideInt:
      message = "an Int of GraphQL has 32 bits"
      help = "without 'graphql-strict' it has 64"
    case .divisionByZero:
      message = "division by zero"
      help = "'nullif(divisor, 0)' gives null instead"
    case .conversion(let type):
      message = "the value cannot be converted to \(RuntimeProblem.name(type, catalog))"
    case .invalidPattern(let reason, let offset):
      message = "invalid pattern: \(reason), at offset \(offset)"
    case .patternLimit(let limit):
      let name =
        switch limit {
        case .steps: "pattern-steps"
        case .depth: "pattern-depth"
        case .memory: "pattern-memory"
        }
      message = "matching the pattern takes more than the limit '\(name)'"
      help = "simplify the pattern, or raise the limit '\(name)'"
    case .limitExceeded(let name, let limit):
      message = "the limit '\(name)' of \(limit) is exceeded"
      help = "the limit '\(name)' can be raised"
    case .negativeLimit(let argument):
      message = "'\(argument)' cannot be negative"
    case .ambiguousLink(let type):
      message = "two entities of '\(catalog[type].name)' have this id"
      if let member = catalog[type].members.first {
        help = "ask for an entity of one type, as in '\(catalog[member.type].rootOne)(…)'"
      }
    case .missingParameter(let name):
      message = "variable '$\(name)' must not be null"
    case .nullArgument:
      message = "the argument is null, but the fragment's variable must not be"
    case .wrongDepth(let minimum):
      message = minimum == 0 ? "a depth cannot be negative" : "a recursion has at least one level"
    case .invalidCursor(.malformed):
      message = "this is no cursor"
      help = "pass what '_cursor' gave, unchanged"
    case .invalidCursor(.version):
      message = "the cursor is of another version"
      help = "read the list from its beginning"
    case .invalidCursor(.otherList):
      message = "the cursor belongs to another list or another order"
      help = "use the cursors of a list with the same type, relation, groups, 'orderBy' and 'distinctOn'"
    case .timeout(let milliseconds):
      message = "the time limit of \(milliseconds) ms is exceeded"
      help = "the limit 'time' can be raised"
    case .cancelled:
      message = "cancelled"
    case .memory(let limit):
      message = "the memory limit of \(limit) bytes is exceeded"
      help = "the limit 'memory' can be raised"
    case .outOfDomain:
      message = "no real number is the result"
      help = "'try(…)' gives null instead"
    case .roundingPlaces(let limit):
      message = "numbers are rounded to -\(limit) to \(limit) places"
    case .partialDay:
      message = "a Date takes whole days only"
      help = "write '… as DateTime' after the date"
    case .function(let name, let text):
      message = "'\(name)' failed: \(text)"
    }
    if !values.isEmpty {
      message += " (" + values.map(\.string).joined(separator: ", ") + ")"
    }
    var notes: [Diagnostic.Note] = []
    if let entity, let entityID, Int(entity.type.index) < catalog.types.count {
      notes.append(Diagnostic.Note("evaluated for \(catalog[entity.type].name) \(entityID)"))
    }
    return Diagnostic(code, message, at: range, help: help, notes: notes)
  }

  private static func name(_ type: ValueType, _ catalog: Catalog) -> String {
    switch type {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let id): catalog[id].name
    case .list(let element): "[\(name(element, catalog))]"
    case .embedded(let id): catalog[id].name
    case .entity(let id): catalog[id].name
    case .null: "null"
    }
  }
}
