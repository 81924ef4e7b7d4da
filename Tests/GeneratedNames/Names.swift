// Written by 'gqlite generate swift' from a schema.

import Foundation
import GQLiteModels

/// Names that are in the way of Swift, of the models and of each other.
///
/// An interface in the schema: entities of different types are asked for together in text only.
protocol Coded {
  var code: String { get }
  // id: Int has other types in its members.
  var note: String? { get }
  var self_: Int? { get }
}

// union Either = Bool | Double: entities of different types are asked for together in text only.

/// 'Optional' in the schema, in which this type is not found: that name is not free in Swift.
@EntityModel
struct Optional__: Codable, Sendable {
  let id: String
  @Relationship(inverse: \.all) var of: Optional_?
}

@EntityModel
struct Optional_: Codable, Sendable {
  let id: String
  @Relationship(inverse: \.of) var all: [Optional__]?
}

/// 'Swift' in the schema, in which this type is not found: that name is not free in Swift.
@EntityModel
struct Swift_: Codable, Sendable {
  let id: String
  var isOn: Swift.Bool = true
  var ratio: Swift.Double?
  var size: Int?
  var text: String? = "t"
  @Relationship var other: Foundation_? = nil
}

/// 'Foundation' in the schema, in which this type is not found: that name is not free in Swift.
@EntityModel
struct Foundation_: Codable, Sendable {
  let id: Int
  var Date: Date? = Foundation.Date()
  var at: Date? = Foundation.Date()
  var Decimal: Decimal? = Foundation.Decimal(string: "2.50") ?? 0
  var day: GQLiteModels.CalendarDate?  // default now()
}

@EntityModel
struct Bool: Codable, Sendable {
  let id: String
  var isOn: Swift.Bool = false
}

@EntityModel
struct Double: Codable, Sendable {
  let id: String
  var ratio: Swift.Double = 1.5
}

@EntityModel
struct Data: Codable, Sendable {
  let id: String
  var raw: Foundation.Data?
}

@EntityModel
struct CalendarDate: Codable, Sendable {
  let id: String
  var day: GQLiteModels.CalendarDate?
}

/// 'Context' in the schema, in which this type is not found: that name is not free in Swift.
@EntityModel
struct Context_: Codable, Sendable {
  let id: String
  var text: String?
}

/// 'Hashable' in the schema, in which this type is not found: that name is not free in Swift.
@EntityModel
struct Hashable_: Codable, Sendable {
  let id: String
  var self_: String?  // 'self' in the schema
  var init_: Int?  // 'init' in the schema
  var `Type`: String?
  var CodingKeys_: Int?  // 'CodingKeys' in the schema
  var Swift_: Swift.Bool?  // 'Swift' in the schema
  var `super`: Int?
}

@EntityModel
struct Task: Codable, Sendable {
  let id: String
  var ID: String?
  var encode: Int?
  var hash: Int?
  var save: Swift.Bool?
  var query: Int?
  var underscore: Swift.Bool?  // '_' in the schema
  var normalize: Int?
  var describe: Int?
  var patch: Int?
  var row: Int?
  var model: Int?
  var updatedAt: Date?
  var Odd: Odd? = .rawValue
}

@EntityModel
struct Array: Codable, Sendable {
  let id: String
  var numbers: [Int]
}

@EntityModel
struct Error: Codable, Sendable {
  let id: String
  var kind: Kind?
}

@EntityModel
struct Encoder: Codable, Sendable {
  let id: String
}

@EntityModel
struct Decoder: Codable, Sendable {
  let id: String
}

@EntityModel
struct Result: Codable, Sendable {
  let id: String
  var value: Value?
  var odd: Odd? = .some(.none)
  var odds: [Odd]
  var must: Odd = .none
}

/// The field 'id' is no key, and has no room.
@EntityModel
struct Code: Codable, Sendable, Coded {
  let code: String
  var id: String { code }
  var id__: Int?  // 'id' in the schema
  var id_: String?
  var note: String?
  var self_: Int?  // 'self' in the schema
}

@EntityModel
struct Sign: Codable, Sendable, Coded {
  let code: String
  var id: String { code }
  var id_: Int?  // 'id' in the schema
  var note: String?
  var self_: Int?  // 'self' in the schema
}

/// Texts may have bars in them.
@EntityModel
struct Pair: Codable, Sendable {
  let id_: String  // 'id' in the schema
  let other: String
  // @id(fields: [id, other])
  var id: String { GQLiteModels.compoundID(id_, other) }
  var text: String?
}

@EntityModel
struct Moment: Codable, Sendable {
  let at: Date
  var id: String { GQLiteModels.compoundID(at) }
  var text: String?
}

@EntityModel
struct Clash: Codable, Sendable {
  @Index<Self>(\.a) private var x_y
  @Index<Self>(\.b) private var x_yIndex
  @Index<Self>(\.c) private var ownerIndex
  @Index<Self>(\.b, \.a) private var aIndex
  @Index<Self>(\.a, \.b) private var idIndex
  @Index<Self>(\.c, \.a) private var inIndex
  @Index<Self>(\.b, \.c) private var _Index

  let id: String
  var a: Int
  var b: Int
  var c: String
  var _a: Int?
  var _owner: Int?
  @Relationship(inverse: \.owned) var owner_: Clash?  // 'owner' in the schema
  @Relationship(inverse: \.owner_) var owned: [Clash]?
  var eitherAsBool: Int?
  // either: Either, a relation for each of its types.
  @Relationship var eitherAsBool_: Bool? = nil
  @Relationship var eitherAsDouble: Double? = nil
}

@EmbeddedModel
struct Value: Codable, Hashable, Sendable {
  var self_: String  // 'self' in the schema
  var encode: Int?
  var hash: Int?
  var description: String?
  var hashValue_: Int?  // 'hashValue' in the schema
  var CodingKeys_: String?  // 'CodingKeys' in the schema
  var at: Date? = Foundation.Date()
  var Date: Date?
  var `Type`: Int?
  var underscore: Int?  // '_' in the schema

  private enum CodingKeys: String, CodingKey {
    case self_ = "self"
    case encode
    case hash
    case description
    case hashValue_ = "hashValue"
    case CodingKeys_ = "CodingKeys"
    case at
    case Date
    case `Type`
    case underscore = "_"
  }
}

@EmbeddedModel
struct Kind: Codable, Hashable, Sendable {
  var `Type`: Int?
  var `Protocol`: [String]
  var `default`: Int?
}

enum Odd: String, CaseIterable, Codable, Sendable {
  case none = "NONE"
  case some = "SOME"
  case allCases__ = "ALL_CASES"
  case self_ = "SELF"
  case init_ = "INIT"
  case `default`
  case Type_ = "Type"
  case allCases_
  case RawValue_ = "RawValue"
  case rawValue
  case hashValue
  case hash
  case encode
  case id = "ID"
}
