// Written by 'gqlite generate swift' from a schema.

import Foundation
import GQLiteModels

/// Every scalar, each list, and defaults.
@EntityModel
struct Gadget: Codable, Sendable {
  // BTREE index day over day: not in order, because the values have none in Swift.
  @HashIndex<Self>(\.day) private var dayIndex
  // BTREE index phase over phase: not in order, because the values have none in Swift.
  @HashIndex<Self>(\.phase) private var phaseIndex
  @Unique<Self>(\.code, collisions: .throwUnlessNil) private var codeIndex
  @Unique<Self>(\.serial, collisions: .upsert) private var serialIndex
  @Index<Self>(\.rank, \.title) private var byRank
  @HashIndex<Self>(\.phase, \.isNew) private var phase_isNew
  @FullTextIndex<Self>(\.title, \.body) private var words

  /// Its name for ever.
  let id: String
  var title: String
  /// Two lines
  /// of text.
  var body: String
  var rank: Int = 5
  var ratio: Double?
  var price: Decimal = Decimal(string: "1.50") ?? 0
  var isNew: Bool = true
  var seen: Date? = Date()
  var day: CalendarDate?
  var span: Duration?
  var key: UUID?
  var raw: Data?
  var anything: JSON?
  var phase: Phase = .underWay
  var kind: mixed?
  var next: Phase?
  var numbers: [Int]
  var loose: [Int]?  // the schema allows nulls in it
  var phases: [Phase]
  var extent: Extent?
  var extents: [Extent]
  var remarks: [Remark]
  var code: String?
  var serial: String
  var caseless: String  // case-insensitive in text
  var `in`: String = "a \"quoted\" text"
  var `Type`: Int?
  // twice: computed in text, rank * 2
  @Relationship(inverse: \.friends) var friends: [Gadget]?
  @Relationship(.required, inverse: \.gadgets) var owner: Holder?
  @Relationship(deleteRule: .cascade) var part: Holder? = nil
  @Relationship var watched: [Holder]? = nil
}

@EntityModel
struct Holder: Codable, Sendable {
  let id: Int
  @Relationship(deleteRule: .deny, inverse: \.owner) var gadgets: [Gadget]?
  @Relationship(.required) var first: Gadget?
}

@EntityModel
struct Token: Codable, Sendable {
  let code: UUID
  var id: UUID { code }
  var text: String
}

@EntityModel
struct Point: Codable, Sendable {
  let x: Int
  let y: Int
  // @id(fields: [x, y])
  var id: String { GQLiteModels.compoundID(x, y) }
  var text: String?
}

/// A name of the models' own.
///
/// 'Index' in the schema, in which this type is not found: that name is not free in Swift.
@EntityModel
struct Index_: Codable, Sendable {
  let id: UUID
  var text: String?
}

/// A value inside its owner.
@EmbeddedModel
struct Extent: Codable, Hashable, Sendable {
  var width: Double
  var height: Double
  var unit: String = "m"
  var phases: [Phase]?
  var of: String?  // the id of Gadget
}

@EmbeddedModel
struct Remark: Codable, Hashable, Sendable {
  var text: String
  var extents: [Extent]
}

/// What Swift has other words for.
enum Phase: String, CaseIterable, Codable, Sendable {
  case notBegun = "NOT_BEGUN"
  case underWay = "UNDER_WAY"
  /// It is over.
  ///
  /// - Deprecated: nothing is ever done
  case done = "DONE"
}

enum mixed: String, CaseIterable, Codable, Sendable {
  case a
  case A
  case `default`
}

/// Ids are made from and into text.
extension UUID: @retroactive LosslessStringConvertible {
  /// Reads the text of a UUID.
  public init?(_ description: String) { self.init(uuidString: description) }
}
