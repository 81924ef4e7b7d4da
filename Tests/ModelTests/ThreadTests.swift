import Foundation
import GQLite
import GQLiteModels
import Synchronization
import Testing

/// One writer and eight readers, for the thread sanitizer.
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
