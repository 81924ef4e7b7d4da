/// What `@EntityModel` makes of a struct: its columns, relations and indexes, in the order of the source.
struct EntityModel: Equatable {
  /// A stored property, or the computed `id`.
  struct Column: Equatable {
    /// As the source writes it, with backticks if it has any.
    var name: String
    var isDeprecated: Bool
    /// Whether an entity that is read takes its value from the row: not if it is computed or a constant.
    var isRead: Bool
    /// Whether a patch keeps the old value where the new one is nil.
    var isPatched: Bool
    /// Whether it is the id, of a type that may not be made from and into text.
    var isDoubtfulID = false
    /// The arguments of `@Field`, as those of the description's function.
    var field: String?
  }

  struct Relation: Equatable {
    struct Inverse: Equatable {
      /// What stands before the property in the key path: `\.` or `\Chat.`.
      var root: String
      var name: String
    }

    var name: String
    var isDeprecated: Bool
    var inverse: Inverse?
    var deleteRule: String
    /// Whether it is declared with a value that an entity which is read must not have.
    var hasValue: Bool
    /// The arguments of `@Field`, as those of the description's function.
    var field: String?
  }

  struct Index: Equatable {
    enum Kind: String, Equatable {
      case index = "Index"
      case hashIndex = "HashIndex"
      case unique = "Unique"
      case fullTextIndex = "FullTextIndex"

      /// The most key paths that it takes.
      var limit: Int { self == .fullTextIndex ? Int.max : 4 }
    }

    var kind: Kind
    var name: String
    var arguments: [String]
  }

  /// A stored property of a value within entities.
  struct Part: Equatable {
    /// As the source writes it, with backticks if it has any.
    var name: String
    var isDeprecated: Bool
    /// Whether what is stored is a wrapper of it.
    var isWrapped: Bool
    /// Whether it has its value already, which decoding leaves as it is.
    var isConstant: Bool
    /// The conditions around each case of `CodingKeys` that is its own: one without any where the macro writes these.
    var cases: [[[ConditionLine]]]
  }

  enum Item: Equatable {
    case column(Column)
    case part(Part)
    case relation(Relation)
    case index(Index)
    case condition(ConditionLine)
  }

  /// The attributes of availability, which the extension needs too.
  var availability: [String]
  /// `public `, `package ` or nothing.
  var access: String
  /// The arguments of `@EntityModel`.
  var arguments: String?
  /// Whether the struct brings a `patch` of its own.
  var hasPatch = false
  /// Whether the struct says itself by what keys its properties are coded.
  var hasCodingKeys = false
  var items: [Item] = []
}
