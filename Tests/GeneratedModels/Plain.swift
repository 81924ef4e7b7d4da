// Written by 'gqlite generate swift' from a schema.

import Foundation
import GQLiteModels

@EntityModel(number: 5, was: "Sailor")
struct Crew: Codable, Sendable {
  @FullTextIndex<Self>(\.name) private var words
  @HashIndex<Self>(\.mood) private var byMood
  @Unique<Self>(\.email, collisions: .throwUnlessNil) private var byEmail
  @Unique<Self>(\.code, collisions: .throw) private var byCode
  @Index<Self>(\.rank, \.name) private var byRank

  let id: String
  @GQLiteModels.Field(2, was: "title", "called")
  var name: String
  @GQLiteModels.Field(was: "level")
  var rank: Int
  var weight: Double?
  var pay: Decimal
  var isHome: Bool
  var born: CalendarDate?
  var seen: Date?
  var shift: Duration?
  var photo: Data?
  var mood: Mood
  var moods: [Mood]?
  var nicknames: [String]
  var email: String?
  var code: String
  var notes: JSON?
  @Relationship(inverse: \.crew) var ship: Ship?
  @Relationship(deleteRule: .cascade, inverse: \.crew) var tasks: [Task]?
  @Relationship(inverse: \.mates) var mates: [Crew]?
}

@EntityModel
struct Ship: Codable, Sendable {
  @GQLiteModels.Field(1)
  let id: Int
  @GQLiteModels.Field(9)
  @Relationship(deleteRule: .deny, inverse: \.ship) var crew: [Crew]?
  @Relationship var flag: Ship? = nil
}

@EntityModel
struct Task: Codable, Sendable {
  let id: String
  var text: String
  @Relationship(inverse: \.tasks) var crew: Crew?
  @Relationship var blocks: [Task]? = nil
}

enum Mood: String, CaseIterable, Codable, Sendable {
  case calm
  case busy
}
