import Dispatch
import Foundation
import GQLiteModels
import Synchronization
import Testing

/// Objects that end on one thread while others look for the same entities.
@Suite("objects that end") struct ObjectEndTests {
  private func database() throws -> Database {
    let database = try Database(for: ObjectPerson.self)
    try database.update { context in
      for id in 0..<8 { try ObjectPerson(id: id, name: "p\(id)").save(to: &context) }
    }
    return database
  }

  @Test("an entity that nobody holds an object of has a new one") func again() throws {
    let database = try database()
    for round in 0..<100 {
      weak var ended: LiveEntity<ObjectPerson>?
      do {
        let object = try #require(try database.object(ObjectPerson.self, id: round % 8))
        ended = object
        #expect(object.name == "p\(round % 8)")
        #expect(try database.object(ObjectPerson.self, id: round % 8) === object)
      }
      // The thread that tells of changes may hold it for a moment.
      for _ in 0..<10_000 where ended != nil { usleep(1_000) }
      #expect(ended == nil)
    }
  }

  @Test("threads that take and drop objects of few entities") func threads() throws {
    let database = try database()
    let wrong = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for round in 0..<5_000 {
        let id = (round &* 7 &+ thread) % 8
        guard let object = try? database.object(ObjectPerson.self, id: id),
          let same = try? database.object(ObjectPerson.self, id: id)
        else {
          wrong.add(1, ordering: .relaxed)
          continue
        }
        if object !== same || object.name != "p\(id)" { wrong.add(1, ordering: .relaxed) }
        if round % 16 == 0 { object.age = round }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    // Nobody holds any, and all can be found.
    for id in 0..<8 { #expect(try database.object(ObjectPerson.self, id: id)?.name == "p\(id)") }
  }

  @Test("an entity that goes and comes to another row keeps its object") func rows() throws {
    let database = try database()
    let object = try #require(try database.object(ObjectPerson.self, id: 3))
    for round in 0..<50 {
      try database.run("mutation { purge: deleteObjectPerson(where: id == 3, hard: true) }")
      try database.update { try ObjectPerson(id: 100 + round, name: "other").save(to: &$0) }
      let other = try #require(try database.object(ObjectPerson.self, id: 100 + round))
      #expect(other.name == "other")
      try database.update { try ObjectPerson(id: 3, name: "again \(round)").save(to: &$0) }
      #expect(object.name == "again \(round)")
      #expect(try database.object(ObjectPerson.self, id: 3) === object)
    }
  }

  @Test("an object that is gone is read where a live query tells") func readWhereTold() throws {
    let database = try database()
    let object = try #require(try database.object(ObjectPerson.self, id: 3))
    let told = DispatchSemaphore(value: 0)
    let following = try database.prepare("{ n: count(ObjectPerson) }").subscribe { _ in
      _ = object.name
      told.signal()
    }
    told.wait()
    try database.update { try $0.remove(ObjectPerson.self, id: 3) }
    #expect(told.wait(timeout: .now() + 30) == .success)
    withExtendedLifetime(following) {}
  }
}
