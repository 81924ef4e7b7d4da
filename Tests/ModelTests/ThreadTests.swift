import Foundation
import GQLite
import GQLiteModels
import Observation
import Synchronization
import Testing

/// One writer and eight readers, of contexts and of a live database, for the thread sanitizer.
@Suite struct ThreadTests {
  @EntityModel
  struct Account {
    @Index<Self>(\.balance) private var balances
    @HashIndex<Self>(\.owner) private var owners
    @FullTextIndex<Self>(\.note) private var notes

    let id: Int
    var owner: String
    var balance: Int
    var note: String
    var anything: Opaque
    @Relationship(inverse: \.accounts) var bank: Bank?

    struct Opaque: Sendable { var stamp: Int }
  }

  @EntityModel
  struct Bank {
    let id: String
    @Relationship(inverse: \.bank) var accounts: [Account]?
  }

  /// The context that was published last.
  private final class Published: @unchecked Sendable {
    private let lock = NSLock()
    private var context: Context
    private var isDone = false

    init(_ context: Context) { self.context = context }

    var current: (context: Context, isDone: Bool) {
      lock.lock()
      defer { lock.unlock() }
      return (context, isDone)
    }

    func publish(_ context: Context, isLast: Bool) {
      lock.lock()
      self.context = context
      isDone = isLast
      lock.unlock()
    }
  }

  private final class Counters: Sendable {
    let problems = Atomic<Int>(0)
    let reads = Atomic<Int>(0)
  }

  private static let count = 40
  private static let total = count * 100

  /// Money moves; whoever reads finds all of it.
  @Test func writerAndReaders() throws {
    var context = Context()
    try Bank(
      id: "b",
      accounts: .relation(
        (0..<Self.count).map { number in
          Account(
            id: number, owner: "o\(number % 4)", balance: 100, note: "opened \(number)", anything: .init(stamp: 0))
        })
    ).save(to: &context)
    let (published, counters, done) = (Published(context), Counters(), DispatchGroup())
    for number in 0...8 {
      done.enter()
      Thread.detachNewThread {
        if number == 0 { Self.write(published, counters) } else { Self.read(published, number, counters) }
        done.leave()
      }
    }
    done.wait()
    #expect(counters.problems.load(ordering: .relaxed) == 0)
    #expect(counters.reads.load(ordering: .relaxed) >= 8)
    let last = published.current.context
    #expect(Database(last).check() == [])
    #expect(Account.query().resolve(in: last).reduce(0) { $0 + $1.balance } == Self.total)
    // What the writer began with is as it was.
    #expect(Account.query().resolve(in: context).allSatisfy { $0.balance == 100 && $0.anything.stamp == 0 })
  }

  /// The same money in a live database: readers of its entities and of its text, properties that follow it, observers of
  /// these, and a program that changes the catalog.
  @Test func databaseWithObservers() async throws {
    let database = try Database(for: Account.self)
    try Bank(
      id: "b",
      accounts: .relation(
        (0..<Self.count).map { number in
          Account(id: number, owner: "o", balance: 100, note: "opened", anything: .init(stamp: 0))
        })
    ).save(to: database)
    let watched = Watched(database)
    let (counters, done) = (Counters(), DispatchGroup())
    for number in 0...8 {
      done.enter()
      Thread.detachNewThread {
        if number == 0 { Self.write(database, counters) } else { Self.read(watched, number, counters) }
        done.leave()
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var steps: [Int] = []
        for try await answer in watched.all {
          if !Self.isWhole(answer) { counters.problems.add(1, ordering: .relaxed) }
          steps.append(answer.map(\.anything.stamp).max() ?? 0)
          if steps.last == Self.steps { break }
        }
        // No answer is older than the one before.
        if zip(steps, steps.dropFirst()).contains(where: { $0 > $1 }) { counters.problems.add(1, ordering: .relaxed) }
      }
      group.addTask {
        let (told, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var tellings = told.makeAsyncIterator()
        while true {
          let richest = withObservationTracking {
            watched.first.wrappedValue
          } onChange: {
            signal.yield()
          }
          counters.reads.add(1, ordering: .relaxed)
          if richest?.anything.stamp == Self.steps { break }
          await tellings.next()
        }
      }
      try await group.waitForAll()
    }
    await withCheckedContinuation { all in done.notify(queue: .global()) { all.resume() } }
    #expect(counters.problems.load(ordering: .relaxed) == 0)
    #expect(counters.reads.load(ordering: .relaxed) >= 8)
    #expect(database.check() == [])
    #expect(Self.isWhole(watched.all.wrappedValue) && watched.all.error == nil)
  }

  private static let steps = 120

  /// What follows a database.
  private struct Watched: Sendable {
    let database: Database
    let all: FetchAll<Account>
    let first: FetchFirst<Account>
    let banks: FetchResults<Bank>

    init(_ database: Database) {
      self.database = database
      all = FetchAll(Account.query().sorted(by: \.balance), in: database)
      first = FetchFirst(Account.query().sorted(by: \.balance.desc), in: database)
      banks = FetchResults(
        Bank.query().with(\.$accounts) { $0.limit(ThreadTests.count).sorted(by: \.note) }, in: database)
    }
  }

  private static func isWhole(_ accounts: [Account]) -> Bool {
    accounts.count == count && accounts.reduce(0) { $0 + $1.balance } == total
  }

  private static func write(_ database: Database, _ counters: Counters) {
    for step in 1...steps {
      do {
        try database.update { context in
          let taker = step % count
          let giver = (step + 1) % count
          guard var from = Account.query(giver).resolve(in: context), var to = Account.query(taker).resolve(in: context)
          else { return }
          // In the end one has all that can be had.
          let amount = step == steps ? from.balance : 1
          from.balance -= amount
          to.balance += amount
          to.anything.stamp = step
          try from.save(to: &context)
          try to.save(to: &context)
        }
        if step % 30 == 0 { try database.register(function: "f\(step)") { (number: Int64) in number } }
        if step % 40 == 0 {
          _ = try database.query(#"mutation { updateThreadTests_Account(where: id == 1, set: {note: "text"}) { id } }"#)
        }
      } catch { counters.problems.add(1, ordering: .relaxed) }
    }
  }

  private static func read(_ watched: Watched, _ number: Int, _ counters: Counters) {
    var isDone = false
    repeat {
      func check(_ isRight: Bool) { if !isRight { counters.problems.add(1, ordering: .relaxed) } }
      let richest = watched.first.wrappedValue
      isDone = richest?.anything.stamp == steps
      switch number % 4 {
      case 0:
        check(isWhole(watched.all.wrappedValue))
      case 1:
        check(watched.banks.wrappedValue?.first?.accounts.map(isWhole) == true)
      case 2:
        let sum = try? watched.database.query("{ s := sum(ThreadTests_Account.balance) }").decode([String: Int].self)
        check(sum == ["s": total])
      default:
        check(isWhole(Account.query().filter(\.balance > -1).resolve(in: watched.database)))
        check(Account.query(7).resolve(in: watched.database) != nil)
      }
      counters.reads.add(1, ordering: .relaxed)
    } while !isDone
  }

  private static func write(_ published: Published, _ counters: Counters) {
    var context = published.current.context
    for step in 1...200 {
      do {
        guard var from = Account.query(step % count).resolve(in: context),
          var to = Account.query(step * 7 % count).resolve(in: context), from.id != to.id
        else { continue }
        from.balance -= 1
        to.balance += 1
        to.note = "changed in step \(step)"
        to.anything.stamp = step
        // Two saves are one change: only what is whole is published.
        try from.save(to: &context)
        try to.save(to: &context)
        if step % 20 == 0 {
          try Account.delete(id: count - 1, from: &context)
          try Deleted<Account>.query(count - 1).resolve(in: context)?.restore(in: &context)
        }
        published.publish(context, isLast: false)
      } catch { counters.problems.add(1, ordering: .relaxed) }
    }
    published.publish(context, isLast: true)
  }

  private static func read(_ published: Published, _ number: Int, _ counters: Counters) {
    var isDone = false
    repeat {
      let (context, last) = published.current
      isDone = last
      func check(_ isRight: Bool) { if !isRight { counters.problems.add(1, ordering: .relaxed) } }
      let all = Account.query().sorted(by: \.balance).resolve(in: context)
      check(all.count == count && all.reduce(0) { $0 + $1.balance } == total)
      check(zip(all, all.dropFirst()).allSatisfy { $0.balance <= $1.balance })
      switch number % 4 {
      case 0:
        let bank = Bank.query("b").with(\.$accounts) { $0.filter(\.balance >= 0) }.resolve(in: context)
        check(bank?.accounts?.count == count)
      case 1:
        let sum = try? context.query("{ s := sum(ThreadTests_Account.balance) }", as: Int.self)
        check(sum == total)
      case 2:
        let found = Account.filter(.string(\.note, matches: "changed")).resolve(in: context)
        check(found.allSatisfy { $0.note.hasPrefix("changed in step \($0.anything.stamp)") })
        check(Account.filter(\.owner == "o1").resolve(in: context).count == count / 4)
      default:
        // Its own copy, to which nobody else writes.
        var copy = context
        check(
          (try? Account(id: -number, owner: "", balance: 0, note: "", anything: .init(stamp: 0)).save(to: &copy)) != nil
        )
        check(Account.query().resolve(in: copy).count == count + 1)
        check(Account.query(-number).resolve(in: context) == nil)
      }
      counters.reads.add(1, ordering: .relaxed)
    } while !isDone
  }
}
