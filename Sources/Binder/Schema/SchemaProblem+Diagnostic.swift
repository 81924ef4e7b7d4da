import GQLBase
import GQLCatalog

extension SchemaProblem {
  /// Every code that a schema's problems carry.
  package static let codes: [DiagnosticCode] = [
    "duplicate-type", "duplicate-field", "duplicate-enum-value", "too-many-enum-values", "reserved-name",
    "unknown-type", "empty-type", "recursive-embedding", "too-many-columns", "unknown-directive",
    "unknown-directive-argument", "missing-directive-argument", "wrong-directive-argument", "repeated-directive",
    "misplaced-directive", "two-defaults", "wrong-default", "invalid-key", "not-indexable", "unknown-field",
    "duplicate-index-name", "unknown-inverse", "inverse-conflict", "possible-inverse", "root-name-clash",
    "unusable-root-field", "ignored-arguments", "ignored-type", "nested-list", "version-name",
    "wrong-interface", "interface-field", "wrong-member", "rename-conflict", "number-conflict",
    "not-supported-yet",
  ].map { DiagnosticCode($0) }

  package var code: DiagnosticCode {
    let name =
      switch self {
      case .duplicateType: "duplicate-type"
      case .duplicateField: "duplicate-field"
      case .duplicateEnumValue: "duplicate-enum-value"
      case .tooManyEnumValues: "too-many-enum-values"
      case .reservedName: "reserved-name"
      case .unknownType, .extensionOfNothing, .extensionOfOtherKind: "unknown-type"
      case .emptyType: "empty-type"
      case .recursiveEmbedding: "recursive-embedding"
      case .tooManyColumns: "too-many-columns"
      case .unknownDirective: "unknown-directive"
      case .unknownDirectiveArgument: "unknown-directive-argument"
      case .missingDirectiveArgument: "missing-directive-argument"
      case .wrongDirectiveArgument: "wrong-directive-argument"
      case .repeatedDirective: "repeated-directive"
      case .misplacedDirective: "misplaced-directive"
      case .twoDefaults: "two-defaults"
      case .wrongDefault: "wrong-default"
      case .invalidKey: "invalid-key"
      case .notIndexable: "not-indexable"
      case .unknownDirectiveField: "unknown-field"
      case .duplicateIndexName: "duplicate-index-name"
      case .unknownInverse, .inverseIsOther, .inverseOfMembers: "unknown-inverse"
      case .inverseConflict: "inverse-conflict"
      case .possibleInverse: "possible-inverse"
      case .rootNameClash: "root-name-clash"
      case .unusableRootField: "unusable-root-field"
      case .ignoredFieldArguments: "ignored-arguments"
      case .ignoredType: "ignored-type"
      case .nestedList: "nested-list"
      case .versionName: "version-name"
      case .notAnInterface, .missingInterface, .cyclicInterface: "wrong-interface"
      case .missingInterfaceField, .wrongInterfaceField: "interface-field"
      case .wrongMember: "wrong-member"
      case .sharedFormerName, .sharedFormerValue: "rename-conflict"
      case .sharedNumber: "number-conflict"
      case .notSupportedYet: "not-supported-yet"
      }
    return DiagnosticCode(name)
  }

  package var severity: Diagnostic.Severity {
    switch self {
    case .unknownDirective, .possibleInverse, .unusableRootField, .ignoredFieldArguments, .ignoredType,
      .versionName:
      .warning
    default: .error
    }
  }

  private var message: String {
    switch self {
    case .duplicateType(let name, _): "type '\(name)' is defined twice"
    case .duplicateField(let name, let type, _): "'\(type)' has two fields named '\(name)'"
    case .duplicateEnumValue(let name, let type, _): "enum '\(type)' has the value '\(name)' twice"
    case .tooManyEnumValues(let type): "enum '\(type)' has more than 65,535 values"
    case .reservedName(let name): "the name '\(name)' is reserved"
    case .unknownType(let name, _): "there is no type '\(name)'"
    case .extensionOfNothing(let name, _): "there is no type '\(name)' to extend"
    case .extensionOfOtherKind(let name): "'\(name)' is a type of another kind"
    case .emptyType(let name): "'\(name)' has no fields"
    case .versionName(let name): "'\(name)' is a name of the versions that '@history' keeps, which it hides"
    case .recursiveEmbedding(let path): "embedded type contains itself: \(path.joined(separator: " → "))"
    case .tooManyColumns(let type, let limit): "'\(type)' has more than \(limit) stored fields"
    case .unknownDirective(let name, _): "there is no directive '@\(name)'; it is ignored"
    case .unknownDirectiveArgument(let directive, let argument, _): "'@\(directive)' has no argument '\(argument)'"
    case .missingDirectiveArgument(let directive, let argument): "'@\(directive)' needs '\(argument):' here"
    case .wrongDirectiveArgument(let directive, let argument, let expected, _):
      "'\(argument)' of '@\(directive)' must be \(expected)"
    case .repeatedDirective(let name): "'@\(name)' stands here twice"
    case .misplacedDirective(let name, .notRelation): "'@\(name)' is for fields whose type is an entity"
    case .misplacedDirective(let name, .notText): "'@\(name)' is for text"
    case .misplacedDirective(let name, .inEmbedded): "'@\(name)' cannot stand in a type without an id"
    case .misplacedDirective(let name, .onType): "'@\(name)' cannot stand on a type"
    case .misplacedDirective(let name, .onAbstractType): "'@\(name)' cannot stand on an interface or a union"
    case .misplacedDirective(let name, .onEnum): "'@\(name)' cannot stand on an enum"
    case .misplacedDirective(let name, .onSchema): "'@\(name)' cannot stand on the schema"
    case .misplacedDirective(let name, .onAbstract): "'@\(name)' cannot stand on a field of an interface"
    case .misplacedDirective(let name, .onEnumValue): "'@\(name)' cannot stand on a value of an enum"
    case .misplacedDirective(let name, .onField): "'@\(name)' cannot stand on a field"
    case .misplacedDirective(let name, .notNumber): "'@\(name)' is for an id of the type ID or Int"
    case .misplacedDirective(let name, .onComputed): "'@\(name)' cannot stand on a computed field"
    case .twoDefaults(let field): "'\(field)' has two defaults"
    case .wrongDefault(let field, let problem): "wrong default of '\(field)': \(problem.message)"
    case .invalidKey(let field, let type, let reason): "'\(field)' cannot be a key of '\(type)': \(reason.words)"
    case .notIndexable(let field, let type, let reason): "'\(type).\(field)' cannot be indexed: \(reason.words)"
    case .unknownDirectiveField(let name, let type, _, _): "'\(type)' has no field '\(name)'"
    case .duplicateIndexName(let name, let type): "'\(type)' has two indexes named '\(name)'"
    case .unknownInverse(let name, let target, _): "'\(target)' has no field '\(name)'"
    case .inverseIsOther(let name, let target, let source):
      "'\(target).\(name)' does not lead to '\(source)', so it cannot be the inverse"
    case .inverseConflict(let field, let type, let inverse, let target, _):
      "'\(type).\(field)' cannot be the inverse of '\(target).\(inverse)', which has another"
    case .possibleInverse(let field, let type, let inverse, let target, _):
      "'\(type).\(field)' and '\(target).\(inverse)' look like two sides of one relation"
    case .rootNameClash(let name, let first, let second):
      "the root name '\(name)' stands for \(first) and for \(second)"
    case .unusableRootField(let name): "'Query.\(name)' is ignored: its type is not an entity or a list of entities"
    case .ignoredFieldArguments(let field): "the arguments of '\(field)' are ignored"
    case .ignoredType(let name): "'\(name)' is ignored: operations are written against the entity types"
    case .inverseOfMembers(let name, let type):
      "'\(type).\(name)' is a field of each of its types, so it cannot be one side of a relation"
    case .nestedList: "only scalars and enum values can stand in lists of lists"
    case .notAnInterface(let name): "'\(name)' is no interface"
    case .missingInterface(let type, let interface, let through):
      "'\(type)' must implement '\(interface)' too, because '\(through)' does"
    case .cyclicInterface(let path): "interface implements itself: \(path.joined(separator: " → "))"
    case .missingInterfaceField(let type, let interface, let field):
      "'\(type)' lacks the field '\(field)' of '\(interface)'"
    case .wrongInterfaceField(let type, let field, let found, let interface, let expected):
      "'\(type).\(field)' is \(found), but '\(interface).\(field)' is \(expected)"
    case .wrongMember(let name, let of, .notAnObject): "'\(name)' cannot be one of '\(of)': it is no object type"
    case .wrongMember(let name, let of, .withoutID): "'\(name)' cannot be one of '\(of)': it has no id"
    case .wrongMember(let name, let of, .repeated): "'\(of)' names '\(name)' twice"
    case .sharedFormerName(let name, let type?, _): "two fields of '\(type)' say that they were '\(name)'"
    case .sharedFormerValue(let name, let type, _): "two values of '\(type)' say that they were '\(name)'"
    case .sharedFormerName(let name, nil, _): "two types say that they were '\(name)'"
    case .sharedNumber(let number, let type?, _): "two fields of '\(type)' have the number \(number)"
    case .sharedNumber(let number, nil, _): "two types have the number \(number)"
    case .notSupportedYet(let feature): feature.message
    }
  }

  private var help: String? {
    switch self {
    case .unknownType(_, let near), .extensionOfNothing(_, let near), .unknownDirective(_, let near),
      .unknownDirectiveArgument(_, _, let near), .wrongDirectiveArgument(_, _, _, let near),
      .unknownDirectiveField(_, _, _, let near), .unknownInverse(_, _, let near):
      didYouMean(near)
    case .wrongDefault(_, let problem): problem.help
    case .recursiveEmbedding: "give one of these types an 'id', so that it is an entity"
    case .misplacedDirective(_, .onAbstract): "give it to the field of each type that implements the interface"
    case .misplacedDirective("index", .inEmbedded), .misplacedDirective("unique", .inEmbedded):
      "index it from the owner: @index(fields: [\"owner.field\"])"
    case .possibleInverse(_, _, let inverse, _, _):
      "add @relation(inverse: \"\(inverse)\"), or @relation(inverse: null) if they are two relations"
    case .versionName(VersionCatalog.changesName):
      "give it another name, and read the changes of entities as '_changes'"
    case .versionName(let name):
      "give it another name: '@was(name: \"\(name)\")' keeps its values, and '@source(name: \"\(name)\")' reads it in data"
    case .rootNameClash: "name them with @root(one: \"…\", many: \"…\")"
    case .missingInterface(_, let interface, _): "add '& \(interface)' after 'implements'"
    case .wrongMember(_, _, .withoutID): "give it an 'id', so that it is an entity"
    case .notIndexable(_, _, .relation): "relations are indexed by themselves"
    default: nil
    }
  }

  /// The problem as a diagnostic with notes and fixes.
  package func diagnostic(at range: SourceRange) -> Diagnostic {
    var notes: [Diagnostic.Note] = []
    var fixIts: [Diagnostic.FixIt] = []
    switch self {
    case .duplicateType(_, let first), .duplicateField(_, _, let first), .duplicateEnumValue(_, _, let first):
      notes.append(Diagnostic.Note("first defined here", range: first))
    case .sharedFormerName(_, _, let first), .sharedFormerValue(_, _, let first), .sharedNumber(_, _, let first):
      notes.append(Diagnostic.Note("the other one", range: first))
    case .inverseConflict(_, _, _, _, let other):
      notes.append(Diagnostic.Note("the other inverse", range: other))
    case .possibleInverse(_, _, let inverse, _, let insertAt):
      let directive = " @relation(inverse: \"\(inverse)\")"
      fixIts.append(Diagnostic.FixIt("add '\(directive.dropFirst())'", [Diagnostic.FixIt.Edit(insertAt, directive)]))
    case .unknownType(_, let near), .unknownDirectiveField(_, _, _, let near), .unknownInverse(_, _, let near):
      if case .unknownType = self, let name = near.first {
        fixIts.append(Diagnostic.FixIt("write '\(name)'", [Diagnostic.FixIt.Edit(range, name)]))
      }
    default: break
    }
    return Diagnostic(code, severity: severity, message, at: range, help: help, notes: notes, fixIts: fixIts)
  }
}

extension SchemaProblem.Unfit {
  fileprivate var words: String {
    switch self {
    case .relation: "it is a relation"
    case .list: "it is a list"
    case .embedded: "it is an embedded object"
    case .json: "it is JSON"
    case .float: "it is a Float"
    case .unlike(let content): "it is no \(content.typeName)"
    case .computed: "it is computed"
    }
  }
}
