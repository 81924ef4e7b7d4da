import Foundation
import GQLDifferential
import GQLite
import Observation
import Synchronization
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// What is told of a database's changes, and what is not.
@Suite struct ObservingTests {
  private let adults = Person.include(#Predicate { $0.age >= 18 }).sortBy(\.name, comparator: .lexical)

  private func database() throws -> Database { Database(try people()) }

  /// Makes a change, and waits until the observation is told. If it never is, the test runs into its time limit.
  private func awaitTold(_ read: () -> Void, by change: () throws -> Void) async throws {
    let (told, signal) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking(read) { signal.yield() }
    try change()
    for await _ in told { return }
  }

  /// Whether the observation is told by a change. Reading again is what makes sure that the change is looked at; what
  /// comes later finds nothing new.
  private func isTold(_ read: () -> Void, by change: () throws -> Void) throws -> Bool {
    let told = Mark()
    withObservationTracking(read) { told.set() }
    try change()
    read()
    return told.isSet
  }

  @Test func valuesFollowCommits() throws {
    let database = try database()
    let all = FetchAll(adults, in: database)
    let first = FetchFirst(adults, in: database)
    let results = FetchResults(adults, batchSize: 2, in: database)
    let names = ["Ada", "Bob", "Jill", "Max", "Zoë", "jack"]
    #expect(all.wrappedValue.map(\.name) == names && first.wrappedValue?.name == "Ada")
    #expect(results.wrappedValue?.map(\.name) == names)
    try Person("Aaron", age: 44).save(to: database)
    #expect(first.wrappedValue?.name == "Aaron" && all.wrappedValue.count == 7 && results.wrappedValue?.count == 7)
    try Person("Aaron", age: 4).save(to: database)
    #expect(first.wrappedValue?.name == "Ada" && all.wrappedValue.count == 6 && results.wrappedValue?.count == 6)
    try database.update { context in
      var ada = try #require(try Person.include(#Predicate { $0.name == "Ada" }).first(in: context))
      ada.nickname = "A"
      try ada.save(to: &context)
    }
    #expect(first.wrappedValue?.nickname == "A" && all.wrappedValue.first?.nickname == "A")
    // Text changes what models see.
    _ = try database.query(#"mutation { deletePerson(where: name == "Ada") { id } }"#)
    #expect(first.wrappedValue?.name == "Bob" && all.wrappedValue.count == 5)
    try Person.deleteAll(in: database)
    #expect(first.wrappedValue == nil && all.wrappedValue.isEmpty && results.wrappedValue?.isEmpty == true)
  }

  @Test(.timeLimit(.minutes(5))) func observersAreTold() async throws {
    let database = try database()
    let all = FetchAll(adults, in: database)
    func read() { _ = all.wrappedValue }
    // Nobody reads meanwhile: the commit alone tells.
    try await awaitTold(read) { try Person("Aaron", age: 44).save(to: database) }
    try await awaitTold(read) { try Person.delete(id: "Aaron", from: database) }
    try await awaitTold(read) { try Person("Aaron", age: 45).save(to: database) }
    // Nobody of them is another.
    #expect(try !isTold(read) { try Person("Young", age: 4).save(to: database) })
    let bob = try #require(try Person.include(#Predicate { $0.name == "Bob" }).first(in: database))
    #expect(try !isTold(read) { try bob.save(to: database) })
    // Gone, and back within one commit.
    #expect(
      try !isTold(read) {
        try database.update { context in
          try bob.delete(from: &context)
          try Deleted<Person>.query(bob.id).resolve(in: context)?.restore(in: &context)
        }
      })
    // A function changes nothing that is read.
    try database.register(function: "twice") { (number: Int64) in number * 2 }
    #expect(try !isTold(read) { try Pet(id: 501, name: "Mimi", weight: 3).save(to: database) })
    var older = bob
    older.age += 1
    try await awaitTold(read) { try older.save(to: database) }
  }

  /// Whatever is committed, who observes an answer that is another one is told, by the commit alone.
  @Test(.timeLimit(.minutes(5)), arguments: 0..<4) func randomCommitsAreTold(_ seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let database = try database()
    for number in 0..<60 { try Person("n\(number % 20)x\(number)", age: number).save(to: database) }
    let lists: [QueryList<Person>] = [
      Person.include(#Predicate { $0.name == "n3" }).asList,
      Person.include(#Predicate { $0.age >= 40 }).asList,
      Person.include(#Predicate { $0.age >= 20 && $0.age < 30 }).sortBy(\.name, comparator: .lexical).limit(3).asList,
      Person.include(#Predicate { $0.isInactive && $0.age > 30 }).asList,
      Person.include(#Predicate { $0.nickname == nil }).asList,
      Person.include(#Predicate { $0.company?.name == "Acme" }).asList,
      Person.query().sortBy(\.age).limit(4),
    ]
    let fetches = lists.map { FetchAll($0, in: database) }
    for _ in 0..<60 {
      let before = try lists.map { try $0.results(in: database) }
      let marks = fetches.map { fetch in
        let told = Mark()
        withObservationTracking {
          _ = fetch.wrappedValue
        } onChange: {
          told.set()
        }
        return told
      }
      let id = random.below(60)
      let change = random.pick([
        #"name: "n\#(random.below(20))""#, "age: \(random.below(60))", "isInactive: \(random.chance(50))",
        "nickname: \(random.chance(50) ? "null" : "\"q\"")", #"company: "c\#(1 + random.below(2))""#, "rating: 1.5",
      ])
      let text =
        switch random.below(6) {
        case 0: #"deletePerson(where: id == "n\#(id % 20)x\#(id)")"#
        case 1: #"restorePerson(where: id == "n\#(id % 20)x\#(id)")"#
        default: #"updatePerson(where: id == "n\#(id % 20)x\#(id)", set: {\#(change)}) { id }"#
        }
      try database.run("mutation { \(text) }")
      let after = try lists.map { try $0.results(in: database) }
      for (number, told) in marks.enumerated() where before[number] != after[number] {
        for _ in 0..<12_000 where !told.isSet { try await Task.sleep(for: .milliseconds(5)) }
        #expect(told.isSet, "\(text), query \(number)")
      }
    }
  }

  /// A commit that concerns none of the rows, keys and ranges of a query does not run it.
  @Test(.timeLimit(.minutes(5))) func othersStartNoRun() async throws {
    let database = try database()
    for number in 0..<40 { try Person("n\(number)", age: number).save(to: database) }
    let fetches = (0..<40).map { number in FetchAll(Person.include(#Predicate { $0.age == number }), in: database) }
    for fetch in fetches { _ = fetch.wrappedValue }
    func settle() async throws {
      database.waitUntilTold()
      while !fetches.allSatisfy(\.isSettled) { try await Task.sleep(for: .milliseconds(5)) }
    }
    // The first look at the database tells all of them, and they look by tasks, which may come late. What they look at
    // from then on is known with the next look.
    for _ in 0..<2 { try await settle() }
    let runs = fetches.map(\.runs)
    try database.run(#"mutation { updatePerson(where: id == "n7", set: {nickname: "seven"}) { id } }"#)
    try await settle()
    #expect(fetches.indices.filter { fetches[$0].runs != runs[$0] } == [7])
  }

  @Test func onlyWhatIsReadCounts() throws {
    let database = try database()
    let names = FetchAll(Person.include(#Predicate { $0.age >= 0 }).fetchKeyPaths(\.name), in: database)
    let all = FetchAll(Person.query(), in: database)
    let staff = FetchAll(Company.query().prefetchRelationship(\.staff), in: database)
    let rich = FetchAll(Person.include(#Predicate { $0.company?.name == "Acme" }), in: database)
    func runs() -> [Int] {
      _ = (names.wrappedValue, all.wrappedValue, staff.wrappedValue, rich.wrappedValue)
      return [names.runs, all.runs, staff.runs, rich.runs]
    }
    #expect(runs() == [1, 1, 1, 1])
    #expect(runs() == [1, 1, 1, 1])
    // Another type.
    try Pet(id: 500, name: "Mimi", weight: 3).save(to: database)
    #expect(runs() == [1, 1, 1, 1])
    // A field of some of them.
    _ = try database.query(#"mutation { updatePerson(where: id == "1", set: {nickname: "J"}) { id } }"#)
    #expect(runs() == [1, 2, 2, 2])
    _ = try database.query(#"mutation { updateCompany(where: id == "c2", set: {size: 3}) { id } }"#)
    #expect(runs() == [1, 2, 3, 2])
    _ = try database.query(#"mutation { updateCompany(where: id == "c2", set: {name: "Huge"}) { id } }"#)
    #expect(runs() == [1, 2, 4, 3])
    #expect(staff.wrappedValue.map(\.name) == ["Acme", "Huge"])
    // A link.
    var one = try #require(Person.query("2").resolve(in: database))
    one.$company = .id("c1")
    try one.save(to: database)
    // Lists that are saved anew count as touched, and entities come with theirs; but the answers are the same.
    #expect(runs() == [2, 3, 5, 4])
    #expect(rich.wrappedValue.map(\.id).contains("2"))
  }

  @Test(.timeLimit(.minutes(5))) func sequencesGiveEachAnswerOnce() async throws {
    let database = try database()
    let sequence = FetchAll(adults, in: database)
    var answers = sequence.makeAsyncIterator()
    #expect(try await answers.next()?.count == 6)
    try Person("Young", age: 3).save(to: database)
    try Person("Aaron", age: 44).save(to: database)
    #expect(try await answers.next()?.first?.name == "Aaron")
    // Many commits while nobody looks are one.
    for number in 0..<20 { try Person("B\(number)", age: 50).save(to: database) }
    #expect(try await answers.next()?.count == 27)
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var counts: [Int] = []
      for try await answer in FetchAll(adults, in: database) {
        counts.append(answer.count)
        signal.yield()
        if answer.isEmpty { break }
      }
      return counts
    }
    for await _ in begun { break }
    try Person.deleteAll(in: database)
    #expect(try await task.value == [27, 0])
    var firsts = FetchFirst(adults, in: database).makeAsyncIterator()
    #expect(try await firsts.next() == .some(nil))
    try Person("Kim", age: 20).save(to: database)
    #expect(try await firsts.next()??.name == "Kim")
    var lazies = FetchResults(adults, batchSize: 3, in: database).makeAsyncIterator()
    #expect(try await lazies.next()??.count == 1)
  }

  @Test(.timeLimit(.minutes(5))) func cancellingEndsASequence() async throws {
    let database = try database()
    let (begun, signal) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for try await _ in FetchAll(Person.query(), in: database) {
        count += 1
        signal.yield()
      }
      return count
    }
    for await _ in begun { break }
    task.cancel()
    #expect(try await task.value == 1)
  }

  @Test func errorsAreTold() async throws {
    let database = try database()
    let all = FetchAll(Person.query(), in: database)
    #expect(all.wrappedValue.count == 12 && all.error == nil)
    var answers = all.makeAsyncIterator()
    _ = try await answers.next()
    _ = try database.query(#"mutation { updatePerson(where: id == "1", set: {mood: "odd"}) { id } }"#)
    // The value is the last one that could be read.
    #expect(all.wrappedValue.count == 12 && all.error is ModelError)
    await #expect(throws: ModelError.self) { _ = try await answers.next() }
    _ = try database.query(#"mutation { updatePerson(where: id == "1", set: {mood: "calm"}) { id } }"#)
    #expect(all.wrappedValue.count == 12 && all.error == nil)
    #expect(throws: ModelError.self) {
      _ = try database.query(#"mutation { updatePerson(where: id == "1", set: {mood: "odd"}) { id } }"#)
      _ = try Query<Person>().fetchedResults(in: database)
    }
  }

  @Test func aQueryThatFailedComesBack() throws {
    let database = try Database(for: Person.self)
    try Person("Jack", age: 5).save(to: database)
    try Person("Jill", age: 50).save(to: database)
    let all = FetchAll(Person.include(#Predicate { 100 / $0.age > 2 }), in: database)
    #expect(all.wrappedValue.map(\.name) == ["Jack"] && all.error == nil)
    // The value is the last one that there was.
    _ = try database.query(#"mutation { updatePerson(where: id == "Jill", set: {age: 0}) { id } }"#)
    #expect(all.wrappedValue.map(\.name) == ["Jack"] && all.error != nil)
    _ = try database.query(#"mutation { updatePerson(where: id == "Jill", set: {age: 50}) { id } }"#)
    #expect(all.wrappedValue.map(\.name) == ["Jack"] && all.error == nil)
  }

  @Test func whatIsLookedAtInSwiftGuardsWhatMayFail() throws {
    let database = try Database(for: Person.self)
    try Person("Jack", age: 5).save(to: database)
    try Person("Jill", age: 0).save(to: database)
    let born = Person.include(#Predicate { $0.isBorn && 100 / $0.age > 2 })
    #expect(try born.results(in: database).map(\.name) == ["Jack"])
  }

  /// Nested relations are looked for once: for the comparison with the last answer, and for the entities.
  @Test func nestedRelationsAreFoundOnce() throws {
    let database = try database()
    let looks = Atomic<Int>(0)
    let counted = QueryPredicate<Person>(nil) { person, _ in
      looks.add(1, ordering: .relaxed)
      return person.age < 30
    }
    let query = Company.query().with(\.$staff) { $0.filter(counted).with(\.$pets) }
    let expected = query.resolve(in: database)
    #expect(expected.map { $0.$staff.ids } == [["0", "4", "6"], ["1", "3", "7", "9"]])
    looks.store(0, ordering: .relaxed)
    let all = FetchAll(query, in: database)
    func shown(_ companies: some Sequence<Company>) -> [[String]] {
      companies.map { company in (company.staff ?? []).map { "\($0.name) \($0.$pets.ids ?? [])" } }
    }
    #expect(shown(all.wrappedValue) == shown(expected))
    // Four of each company.
    #expect(looks.load(ordering: .relaxed) == 8)
    let results = FetchResults(query, batchSize: 1, in: database)
    #expect(shown(try #require(results.wrappedValue)) == shown(expected))
    #expect(looks.load(ordering: .relaxed) == 16)
    let first = FetchFirst(query, in: database)
    #expect(shown([try #require(first.wrappedValue)]) == [shown(expected)[0]])
    #expect(looks.load(ordering: .relaxed) == 20)
  }

  /// A computed property that looks at a fetch, even at the one that asks for it, gets what was there before.
  @Test(.timeLimit(.minutes(5))) func fetchesThatLookAtThemselves() throws {
    let database = try Database(for: Person.self)
    try Person("Jack", age: 5).save(to: database)
    let (one, two) = (Box<FetchAll<Person>>(), Box<FetchAll<Person>>())
    // As many as there were in the fetch.
    let first = FetchAll(
      Person.filter(QueryPredicate(nil) { _, _ in one.value?.wrappedValue.count ?? 0 < 2 }), in: database)
    one.value = first
    #expect(first.wrappedValue.map(\.name) == ["Jack"] && first.error == nil)
    try Person("Jill", age: 6).save(to: database)
    #expect(first.wrappedValue.map(\.name) == ["Jack", "Jill"])
    try Person("Kim", age: 7).save(to: database)
    // Two were there before.
    #expect(first.wrappedValue.isEmpty)
    // Two that look at each other, from two sides at once.
    let (left, right) = (Box<FetchAll<Person>>(), two)
    left.value = FetchAll(
      Person.filter(QueryPredicate(nil) { _, _ in right.value?.wrappedValue.count ?? 0 >= 0 }), in: database)
    right.value = FetchAll(
      Person.filter(QueryPredicate(nil) { _, _ in left.value?.wrappedValue.count ?? 0 >= 0 }), in: database)
    for number in 0..<50 {
      try Person("P\(number)", age: number).save(to: database)
      DispatchQueue.concurrentPerform(iterations: 4) { side in
        _ = (side % 2 == 0 ? left : right).value?.wrappedValue
      }
    }
    #expect(left.value?.wrappedValue.count == 53 && right.value?.wrappedValue.count == 53)
  }

  /// A task that a computed property starts sees what is there when it reads, not what was there when it was started.
  @Test(.timeLimit(.minutes(5))) func tasksThatQueriesStart() async throws {
    let database = try Database(for: Person.self)
    try Person("Jack", age: 5).save(to: database)
    let (task, other) = (Box<Task<[Int], Never>>(), Box<FetchAll<Person>>())
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let (busy, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let counted = FetchAll(Person.query(), in: database)
    let starting = FetchAll(
      Person.filter(
        QueryPredicate(nil) { _, _ in
          if task.value == nil {
            task.value = Task {
              for await _ in gate { break }
              // The fetch that is read is being refreshed by another thread: who is in no refresh waits for that.
              begun.wait()
              return [counted.wrappedValue.count, other.value?.wrappedValue.count ?? -1]
            }
          }
          return true
        }), in: database)
    #expect(starting.wrappedValue.count == 1 && counted.wrappedValue.count == 1)
    let slow = Atomic<Bool>(false)
    other.value = FetchAll(
      Person.filter(
        QueryPredicate(nil) { _, _ in
          if slow.exchange(false, ordering: .relaxed) {
            begun.signal()
            _ = busy.wait(timeout: .now() + 0.2)
          }
          return true
        }), in: database)
    #expect(other.value?.wrappedValue.count == 1)
    slow.store(true, ordering: .relaxed)
    try Person("Jill", age: 6).save(to: database)
    open.yield()
    Thread.detachNewThread { _ = other.value?.wrappedValue }
    #expect(await task.value?.value == [2, 2])
  }

  @Test func anotherQuestion() throws {
    let database = try database()
    var all = FetchAll(adults, in: database)
    #expect(all.wrappedValue.count == 6)
    all = FetchAll(Person.exclude(#Predicate { $0.age >= 18 }), in: database)
    #expect(all.wrappedValue.count == 6 && all.wrappedValue.allSatisfy { $0.age < 18 })
  }

  @Test func valuesWithoutAColumn() throws {
    let database = try Database(for: Attachment.self)
    var one = Attachment(
      id: UUID(), kind: .file, size: nil, tags: ["a"], place: nil, anything: Attachment.Opaque(value: 5))
    try one.save(to: database)
    var cursor = AnswerCursor(Attachment.query())
    #expect(try cursor.advance(to: database.entities) != nil)
    try one.save(to: database)
    #expect(try cursor.advance(to: database.entities) == nil)
    one.anything.value = 6
    try one.save(to: database)
    #expect(try cursor.advance(to: database.entities) != nil)
    one.tags = ["a", "b"]
    try one.save(to: database)
    #expect(try cursor.advance(to: database.entities) != nil)
  }

  @Test(.timeLimit(.minutes(5))) func readersAndAWriter() async throws {
    let database = try Database(for: Person.self)
    let all = FetchAll(Person.sortBy(\.age), in: database)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<200 { try Person("\(number)", age: number).save(to: database) }
      }
      // Each reads again when it is told, and so comes to see the last commit.
      for _ in 0..<4 {
        group.addTask {
          let (told, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
          var tellings = told.makeAsyncIterator()
          var last = 0
          while last < 200 {
            let count = withObservationTracking {
              all.wrappedValue.count
            } onChange: {
              signal.yield()
            }
            #expect(count >= last)
            last = count
            if last < 200 { await tellings.next() }
          }
        }
      }
      group.addTask {
        var last = -1
        for try await answer in all {
          #expect(answer.count > last)
          last = answer.count
          if last == 200 { break }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// Something that happens once.
private final class Mark: Sendable {
  private let flag = Atomic<Bool>(false)
  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}

/// A place for something that is made later.
private final class Box<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)
  var value: Value? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

extension Person {
  /// No column knows it.
  fileprivate var isBorn: Bool { age > 0 }
}
