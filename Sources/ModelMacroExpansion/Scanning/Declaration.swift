/// `@Name<Generic>(label: value)`, in tokens.
struct Attribute: Equatable {
  struct Argument: Equatable {
    var label: String?
    var value: Range<Int>
  }

  /// What stands before the last dot of the name, if anything.
  var qualifier: String?
  var name: String
  /// From `@` to the last token.
  var range: Range<Int>
  /// The token behind the name, where generic arguments would stand.
  var nameEnd: Int
  var hasGenericArguments: Bool
  /// The arguments, or nil if there are no parentheses.
  var arguments: [Argument]?
}

/// `private(set)`: a modifier and the word in its parentheses.
struct Modifier: Equatable {
  var name: String
  var detail: String?
  var range: Range<Int>
}

/// A `var` or `let` with one name. `var a, b: Int` makes two of them.
struct PropertyDeclaration: Equatable {
  enum Accessors: Equatable {
    case none
    /// `willSet` and `didSet`: the property is stored.
    case observers
    /// `get`, `set` or a body: it is computed.
    case computed
  }

  var attributes: [Attribute]
  var modifiers: [Modifier]
  /// The token `var` or `let`.
  var introducer: Int
  var isVariable: Bool
  /// The name's token.
  var name: Int
  var type: Range<Int>?
  var initialValue: Range<Int>?
  var accessors: Accessors
  /// The token behind name, type, value and accessors.
  var end: Int

  func modifier(_ name: String) -> Modifier? { modifiers.first { $0.name == name && $0.detail == nil } }
  var isStatic: Bool { modifier("static") != nil || modifier("class") != nil }
  var isStored: Bool { accessors != .computed }
}

/// A line of conditional compilation between members.
struct ConditionLine: Equatable {
  enum Kind: String, Equatable {
    case `if`
    case elseif
    case `else`
    case endif
  }

  var kind: Kind
  var condition: String
}

/// What a type's body calls `CodingKeys`.
struct CodingKeysDeclaration: Equatable {
  struct Case: Equatable {
    /// The name's token.
    var name: Int
    /// The conditions around it within the enum, from the outside: the lines of each up to where the case stands.
    var conditions: [[ConditionLine]]
  }

  /// The token `enum`, `struct`, `typealias`, ….
  var keyword: Int
  /// Of an enum. What anything else has is not seen here.
  var cases: [Case]?
}

/// What concerns a macro in a type's body.
enum Member: Equatable {
  case property(PropertyDeclaration)
  case condition(ConditionLine)
  case codingKeys(CodingKeysDeclaration)
}

/// A type with its attributes, modifiers and properties.
struct TypeDeclaration: Equatable {
  var attributes: [Attribute]
  var modifiers: [Modifier]
  /// The token of `struct`, `class`, ….
  var keyword: Int
  var name: Int
  /// The body's opening brace.
  var openingBrace: Int
  var members: [Member]

  var properties: [PropertyDeclaration] {
    members.compactMap { if case .property(let property) = $0 { property } else { nil } }
  }
}
