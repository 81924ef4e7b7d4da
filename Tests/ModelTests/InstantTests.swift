import Foundation
import GQLiteModels
import Synchronization
import Testing

@EntityModel
private struct QuietTrack: Track {
  let id: Int
  @Relationship var next: [QuietTrack]? = nil
  init(id: Int) { self.id = id }
  static var following: Following<Self> { \.$next }
}

@EntityModel
private struct LoudTrack: Track {
  let id: Int
  @Relationship var next: [LoudTrack]? = nil
  init(id: Int) { self.id = id }
  static var following: Following<Self> { \.$next }

  func didSave(to context: inout Context) throws {
    Thread.sleep(forTimeInterval: 0.001)
    try Play(id: id).save(to: &context)
    try Hook.current(&context)
  }

  enum Hook {
    @TaskLocal static var current: @Sendable (inout Context) throws -> Void = { _ in }
  }
}

private protocol Track: EntityModelProtocol where ID == Int {
  typealias Following<Entity: EntityModelProtocol> = WritableKeyPath<
    Entity, Relation<Entity, Relations.OneWay, Relations.ToMany, Relations.Required>
  > & Sendable
  init(id: Int)
  static var following: Following<Self> { get }
}

@EntityModel
private struct Play {
  let id: Int
}

@EntityModel
private struct Disc<Content: EntityModelProtocol> {
  let id: Int
  @Relationship var tracks: [Content]? = nil
}

/// All that one save writes has one instant.
@Suite struct InstantTests {
  private func track<Entity: Track>(_ id: Int, _ next: [Int] = []) -> Entity {
    var track = Entity(id: id)
    if !next.isEmpty { track[keyPath: Entity.following] = .ids(next) }
    return track
  }

  /// Those with links are written to again when these are made.
  private func disc<Entity: Track>(_ type: Entity.Type) -> Disc<Entity> {
    var disc = Disc<Entity>(id: 1)
    disc.$tracks = .relation([track(0, [1, 2]), track(3), track(2, [3]), track(1)])
    return disc
  }

  private func check<Entity: Track>(_ type: Entity.Type) throws {
    var context = Context()
    try disc(type).save(to: &context)
    let times = Set([0, 1, 2, 3].map { Entity(id: $0).updatedAt(in: context) })
    #expect(times.count == 1 && disc(type).updatedAt(in: context) == times.first)
    #expect(Entity.query().sorted(by: .updatedAt).resolve(in: context).map(\.id) == [0, 3, 2, 1])
    Thread.sleep(forTimeInterval: 0.001)
    try Entity(id: 3).save(to: &context)
    #expect(Entity.query().sorted(by: .updatedAt).resolve(in: context).map(\.id) == [0, 2, 1, 3])
  }

  @Test func quietSaves() throws { try check(QuietTrack.self) }

  @Test func loudSaves() throws {
    try check(LoudTrack.self)
    // What hooks save is of the same save.
    var context = Context()
    try disc(LoudTrack.self).save(to: &context)
    #expect(Play(id: 0).updatedAt(in: context) == LoudTrack(id: 1).updatedAt(in: context))
  }

  @Test("a save that has failed, and a copy that a hook has kept, hold no instant") func theEnd() throws {
    struct Refused: Error {}
    var context = Context()
    try Play(id: 0).save(to: &context)
    let kept = Mutex<Context?>(nil)
    try LoudTrack.Hook.$current.withValue({ context in kept.withLock { $0 = context } }) {
      try LoudTrack(id: 1).save(to: &context)
    }
    LoudTrack.Hook.$current.withValue({ _ in throw Refused() }) {
      #expect(throws: Refused.self) { try LoudTrack(id: 2).save(to: &context) }
    }
    let first = try #require(LoudTrack(id: 1).updatedAt(in: context))
    Thread.sleep(forTimeInterval: 0.001)
    try Play(id: 5).save(to: &context)
    var copy = try #require(kept.withLock { $0 })
    try Play(id: 5).save(to: &copy)
    for each in [context, copy] {
      #expect(try #require(Play(id: 5).updatedAt(in: each)) > first)
      #expect(LoudTrack(id: 1).updatedAt(in: each) == first)
    }
  }
}
