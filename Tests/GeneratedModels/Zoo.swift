// Written by 'gqlite generate swift' from a schema.

import Foundation
import GQLiteModels

/// An interface in the schema: entities of different types are asked for together in text only.
protocol Node {
  var id: String { get }
}

/// An interface in the schema: entities of different types are asked for together in text only.
protocol Named {
  var id: String { get }
  var name: String { get }
  // rank: Int has other types in its members.
  // home: Place has other types in its members.
  // owner: Named leads to other entities.
  // tags: [String!] has other types in its members.
  // notes: [Note!]! leads to other entities.
}

// union Thing = Animal | Tool: entities of different types are asked for together in text only.

@EntityModel
struct Animal: Codable, Sendable, Named, Node {
  @Index<Self>(\.name) private var nameIndex
  // BTREE index rank over rank: not in order, because the values have none in Swift.
  @HashIndex<Self>(\.rank) private var rankIndex

  let id: String
  var name: String
  var rank: Int?
  var home: Place?
  @Relationship(inverse: \.animals) var owner: Keeper?
  var tags: [String]?
  @Relationship var notes: [Note]? = nil
  var legs: Int
  var size: Int?
}

@EntityModel
struct Keeper: Codable, Sendable, Named, Node {
  @HashIndex<Self>(\.name) private var nameIndex

  let id: String
  var name: String
  var rank: Int
  var home: Place
  // owner: Named, a relation for each of its types.
  @Relationship var ownerAsAnimal: Animal? = nil
  @Relationship var ownerAsKeeper: Keeper? = nil
  var tags: [String]
  @Relationship var notes: [Note]? = nil
  @Relationship(inverse: \.owner) var animals: [Animal]?
  @Relationship var tools: [Tool]? = nil
  // likes: [Thing!]!, a relation for each of its types.
  @Relationship var likesAsAnimal: [Animal]? = nil
  @Relationship var likesAsTool: [Tool]? = nil
  // best: Thing, a relation for each of its types.
  @Relationship var bestAsAnimal: Animal? = nil
  @Relationship var bestAsTool: Tool? = nil
}

@EntityModel
struct Tool: Codable, Sendable, Node {
  let id: String
  var title: String
  var size: String?
  var legs: Int?
  var price: Decimal?
}

@EntityModel
struct Note: Codable, Sendable {
  let id: String
  var text: String
  // about: Node, a relation for each of its types.
  @Relationship var aboutAsAnimal: Animal? = nil
  @Relationship var aboutAsKeeper: Keeper? = nil
  @Relationship var aboutAsTool: Tool? = nil
}

@EmbeddedModel
struct Place: Codable, Hashable, Sendable {
  var city: String
  var cages: [Int]?
}
