/// What a macro can find wrong with a declaration.
enum MacroProblem: Equatable {
  /// `@EntityModel class User {}`
  case notOfKind(ModelMacro, name: String, kind: String)
  /// `@EntityModel func f() {}`
  case notAType(ModelMacro)
  /// `@EntityModel struct User { var name: String }`
  case noID(type: String)
  /// `enum Schema { @EntityModel private struct User … }`
  case inaccessible(ModelMacro, type: String)
  /// `@EmbeddedModel struct Address: Codable { init(from decoder: any Decoder) throws {} … }`
  case ownCoding(type: String, member: String)
  /// `#if DEBUG` around `enum CodingKeys`
  case conditionalKeys
  /// `enum CodingKeys: CodingKey { case city }` in a struct without `city`
  case foreignKey(type: String, name: String)
  /// `lazy var size = 1`
  case lazyProperty(name: String)
  /// `var länge: Int`
  case foreignName(name: String)

  /// `@Field(7) static var count = 0`
  case misplacedField(name: String)

  /// `@Property(id: Self.number) var name: String`
  case numberNotLiteral(attribute: String, name: String)
  /// `@Property(id: 0) var name: String`
  case numberOutOfRange(name: String)
  /// `@Property(id: 1) var a: Int; @Property(id: 1) var b: Int`
  case numberTakenTwice(first: String, second: String, number: Int)
  /// `@Property(id: 1) var a = 1`
  case propertyWithoutType(attribute: String, name: String)
  /// `@Property(id: 1) static var a: Int`
  case staticProperty(attribute: String, name: String)
  /// `#if DEBUG` around `@Property(id: 1) var a: Int`
  case conditionalProperty(name: String)

  /// `@Relationship(inverse: \.users) var chats`
  case relationWithoutType(name: String)
  /// `@Relationship(.required) var author: User`
  case relationNotOptional(name: String, type: String)
  /// `@Relationship(.required) var author: Set<User>?`
  case relationOfNoEntity(name: String, type: String)
  /// `@Relationship var viewedBy: [User]?`
  case relationWithoutValue(name: String)
  /// `@Relationship static var author: User? = nil`
  case staticRelation(name: String)
  /// `@Relationship(.required) let author: User?`
  case constantWrapper(attribute: String, name: String)
  /// `@Relationship @Index<Self>(\.name) var author: User?`
  case twoWrappers(first: String, second: String, name: String)

  /// `@Relationship(inverse: path) var chats: [Chat]?`
  case inverseNotKeyPath(name: String)
  /// `@Relationship(inverse: \.replyTo) var replies: [Message]?` in a `Message` without `replyTo`
  case unknownInverse(inverse: String, type: String)
  /// The same, where `replyTo` is no relation
  case inverseNotRelation(inverse: String, type: String)
  /// The same, where `replyTo` is the inverse of something else
  case inverseNotMutual(name: String, inverse: String, type: String)
  /// `@Relationship(inverse: \.x) var a: B?; @Relationship(inverse: \.x) var b: B?`
  case inverseTakenTwice(first: String, second: String, inverse: String, type: String)

  /// `@Index<Self> var nameIndex`
  case indexWithoutKeyPaths(attribute: String, name: String)
  /// `@Index<Self>(\.a, \.b, \.c, \.d, \.e) var index`
  case tooManyKeyPaths(attribute: String, count: Int)
  /// `@Index(\.name) var nameIndex`
  case indexWithoutType(attribute: String)
  /// `@Index<Other>(\.name) var nameIndex`
  case indexOfOtherType(attribute: String, other: String, type: String)
  /// `@Index<Self>(\.team?.name) var teamIndex`
  case indexThroughRelation(name: String, relation: String)
  /// `@Index<Self>(\.name) static var nameIndex`
  case staticIndex(attribute: String, name: String)
}

/// How bad a problem is, in the words of the compiler's messages.
package enum MacroSeverity: String, Equatable, Sendable {
  case error
  case warning
}

/// A change that would mend a problem.
package struct MacroFix: Equatable, Sendable {
  package var message: String
  /// The bytes of the declaration that are replaced.
  package var range: Range<Int>
  package var text: String
}

/// A problem at its place in the declaration's source.
package struct MacroDiagnostic: Equatable, Sendable {
  package var severity: MacroSeverity
  package var message: String
  /// The bytes that it is about.
  package var range: Range<Int>
  package var fixes: [MacroFix]
}
