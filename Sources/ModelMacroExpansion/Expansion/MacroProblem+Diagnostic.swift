extension MacroProblem {
  var severity: MacroSeverity {
    if case .staticIndex = self { .warning } else { .error }
  }

  /// One sentence for the programmer, in the style of the compiler.
  var message: String {
    switch self {
    case .notOfKind(let macro, let name, let kind):
      "'@\(macro.attribute)' needs a \(macro.keyword), and '\(name)' is "
        + (kind == "actor" || kind == "enum" || kind == "extension" ? "an" : "a") + " \(kind)"
    case .notAType(let macro):
      "'@\(macro.attribute)' needs a \(macro.keyword)"
    case .noID(let type):
      "entity model '\(type)' needs a property 'id' in its body"
    case .inaccessible(let macro, let type):
      "nested \(macro.words) '\(type)' can't be 'private', since its extension stands in the file; use 'fileprivate'"
    case .ownCoding(let type, let member):
      "'@EmbeddedModel' codes properties as they are, and '\(type)' has its own '\(member)'; conform it to "
        + "'EmbeddedModelProtocol' by hand, and say in 'describe(_:)' which are"
    case .conditionalKeys:
      "'CodingKeys' can't stand under '#if' in an embedded model; conditions may stand around its cases"
    case .foreignKey(let type, let name):
      "'\(name)' of 'CodingKeys' is no stored property of '\(type)'"
    case .lazyProperty(let name):
      "'\(name)' can't be 'lazy' in an entity model: give it a value at once, or compute it"
    case .foreignName(let name):
      "'\(name)' can't be in an entity model, since names in text have ASCII letters, digits and '_' only, and no '__' at "
        + "the beginning"
    case .misplacedField(let name):
      "'@Field' says nothing of '\(name)': it is for stored properties and relations of entity models"
    case .numberNotLiteral(let attribute, let name):
      "'\(name)' needs its number as an integer literal: '@\(attribute)(id: 1)'"
    case .numberOutOfRange(let name):
      "the number of '\(name)' must be from 1 to \(Int32.max)"
    case .numberTakenTwice(let first, let second, let number):
      "'\(first)' and '\(second)' can't both have the number \(number)"
    case .propertyWithoutType(let attribute, let name):
      "'\(name)' needs a type to be '@\(attribute)'"
    case .staticProperty(let attribute, let name):
      "'\(name)' can't be static to be '@\(attribute)'"
    case .conditionalProperty(let name):
      "'\(name)' can't stand under '#if' in a model, whose properties are the same in all programs that share data"
    case .relationWithoutType(let name):
      "relation '\(name)' needs a type: 'Entity?' for one, '[Entity]?' for many"
    case .relationNotOptional(let name, let type):
      "relation '\(name)' must have the type '\(type)?', since entities may be there without it"
    case .relationOfNoEntity(let name, let type):
      "relation '\(name)' must have a type 'Entity?' or '[Entity]?', not '\(type)'"
    case .relationWithoutValue(let name):
      "relation '\(name)' needs '= nil', since its kind can't be inferred from '@Relationship' alone"
    case .staticRelation(let name):
      "relation '\(name)' can't be static"
    case .constantWrapper(let attribute, let name):
      "'\(name)' must be a 'var' to be '@\(attribute)'"
    case .twoWrappers(let first, let second, let name):
      "'\(name)' can't be '@\(first)' and '@\(second)' at once"
    case .inverseNotKeyPath(let name):
      "the inverse of '\(name)' must be written as a key path of one relation, like '\\.users'"
    case .unknownInverse(let inverse, let type):
      "'\(type)' has no relation '\(inverse)'"
    case .inverseNotRelation(let inverse, let type):
      "'\(inverse)' of '\(type)' is no relation, so it can't be an inverse"
    case .inverseNotMutual(let name, let inverse, let type):
      "'\(inverse)' of '\(type)' must name '\(name)' as its inverse too"
    case .inverseTakenTwice(let first, let second, let inverse, let type):
      "'\(first)' and '\(second)' can't both have '\(inverse)' of '\(type)' as their inverse"
    case .indexOfOtherType(let attribute, let other, let type):
      "'@\(attribute)<\(other)>' in '\(type)' must be '@\(attribute)<Self>', since an index is over its own entities"
    case .indexThroughRelation(let name, let relation):
      "index '\(name)' can't lead through relation '\(relation)', since it is over what the entity itself holds"
    case .indexWithoutKeyPaths(let attribute, let name):
      "'@\(attribute)' on '\(name)' needs a key path, like '@\(attribute)<Self>(\\.name)'"
    case .tooManyKeyPaths(let attribute, let count):
      "'@\(attribute)' takes up to 4 key paths, and here are \(count)"
    case .indexWithoutType(let attribute):
      "'@\(attribute)' needs the type that its key paths begin with: '@\(attribute)<Self>'"
    case .staticIndex(let attribute, let name):
      "'@\(attribute)' needs no static property; '\(name)' can be a property of each entity, which takes no room"
    }
  }

  func diagnostic(at range: Range<Int>, fixes: [MacroFix] = []) -> MacroDiagnostic {
    MacroDiagnostic(severity: severity, message: message, range: range, fixes: fixes)
  }
}
