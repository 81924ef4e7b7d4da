import Foundation
import GQLite
import Synchronization
import Testing

@testable import GQLiteModels

/// What hooks of deletions were told, and what they do.
private final class Script: Sendable {
  @TaskLocal static var current = Script { _, _, _ in }

  private let told = Mutex<[String]>([])
  private let act: @Sendable (_ hook: String, Branch, inout Context) throws -> Void

  init(_ act: @escaping @Sendable (_ hook: String, Branch, inout Context) throws -> Void) { self.act = act }

  var log: [String] { told.withLock { $0 } }

  fileprivate func tell(_ hook: String, _ branch: Branch, _ context: inout Context) throws {
    told.withLock { $0.append("\(hook) \(branch.id)") }
    try act(hook, branch, &context)
  }
}

@EntityModel
private struct Branch {
  let id: Int
  @Relationship(deleteRule: .cascade, inverse: \.parent) var children: [Branch]?
  @Relationship(inverse: \.children) var parent: Branch?

  func willDelete(from context: inout Context) throws { try Script.current.tell("will", self, &context) }
  func didDelete(from context: inout Context) throws { try Script.current.tell("did", self, &context) }
}

/// Each entity that is deleted is told once before and once after, whatever hooks do to the others.
@Suite struct DeletionHookTests {
  /// 1 with 2 and 3, and 3 with 4.
  private func tree() throws -> Context {
    var context = Context()
    try branch(1, [branch(2), branch(3, [branch(4)])]).save(to: &context)
    return context
  }

  private func branch(_ id: Int, _ children: [Branch] = []) -> Branch {
    var branch = Branch(id: id)
    if !children.isEmpty { branch.$children = .relation(children) }
    return branch
  }

  /// What is told when 1 is deleted, and who is left.
  private func delete(
    _ ids: [Int] = [1], _ act: @escaping @Sendable (_ hook: String, Branch, inout Context) throws -> Void
  ) throws -> (log: [String], left: [Int]) {
    var context = try tree()
    let script = Script(act)
    try Script.$current.withValue(script) {
      for id in ids { try Branch.delete(id: id, from: &context) }
    }
    #expect(Database(context).check().isEmpty)
    return (script.log, context.ids(Branch.self))
  }

  @Test func theCascade() throws {
    let (log, left) = try delete { _, _, _ in }
    #expect(log == ["will 1", "will 2", "will 3", "will 4", "did 1", "did 2", "did 3", "did 4"] && left == [])
  }

  @Test func hooksThatDeleteByHand() throws {
    let (log, left) = try delete { hook, branch, context in
      if hook == "will" { try branch.delete(\.$children, inverse: \.$parent, from: &context) }
    }
    #expect(log == ["will 1", "will 2", "will 3", "will 4", "did 4", "did 2", "did 3", "did 1"] && left == [])
  }

  @Test func hooksThatDetach() throws {
    let (log, left) = try delete { hook, branch, context in
      if hook == "will" { branch.detach(\.$children, inverse: \.$parent, in: &context) }
    }
    #expect(log == ["will 1", "did 1"] && left == [2, 3, 4])
    // One that was told already stays, and is not told that it is gone.
    let (later, others) = try delete { hook, branch, context in
      if hook == "will", branch.id == 4 {
        Branch(id: 1).detach(2, relation: \.$children, in: &context)
      }
    }
    #expect(later == ["will 1", "will 2", "will 3", "will 4", "did 1", "did 3", "did 4"] && others == [2])
    // It may go another time.
    let (twice, none) = try delete([1, 2]) { hook, branch, context in
      if hook == "will", branch.id == 4 { Branch(id: 1).detach(2, relation: \.$children, in: &context) }
    }
    #expect(twice == later + ["will 2", "did 2"] && none == [])
  }

  @Test func hooksThatAdd() throws {
    let (log, left) = try delete { hook, branch, context in
      guard hook == "will" else { return }
      // Behind one that was gone through, and to the entity itself.
      for (told, id, parent) in [(4, 5, 2), (5, 6, 5), (2, 7, 2)] where branch.id == told {
        var added = Branch(id: id)
        added.$parent = .id(parent)
        try added.save(to: &context)
      }
    }
    #expect(log.prefix(7) == ["will 1", "will 2", "will 3", "will 4", "will 7", "will 5", "will 6"])
    #expect(log.dropFirst(7).sorted() == (1...7).map { "did \($0)" } && left == [])
  }

  @Test func hooksThatDeleteTheirOwners() throws {
    let (log, left) = try delete { hook, branch, context in
      if hook == "will", let parent = branch.$parent.id { try Branch.delete(id: parent, from: &context) }
      if hook == "will" { try Branch.delete(id: branch.id, from: &context) }
    }
    #expect(log.count == 8 && Set(log).count == 8 && left == [])
    for id in 1...4 {
      let (will, did) = (log.firstIndex(of: "will \(id)"), log.firstIndex(of: "did \(id)"))
      #expect(try #require(will) < #require(did))
    }
  }

  /// What a hook deletes in a copy is deleted there, and stays where it was.
  @Test func hooksThatDeleteInCopies() throws {
    let trials = Mutex<[[Int]]>([])
    let (log, left) = try delete { hook, branch, context in
      guard hook == "will" else { return }
      if branch.id == 3 { try self.branch(3, [self.branch(4), self.branch(5)]).save(to: &context) }
      if branch.id != 4 { return }
      var trial = context
      try Branch.delete(id: 3, from: &trial)
      trials.withLock { [trial] in $0.append(trial.ids(Branch.self)) }
      Branch(id: 1).detach(3, relation: \.$children, in: &context)
    }
    #expect(trials.withLock { $0 } == [[1, 2]] && left == [3, 4, 5])
    #expect(log.filter { !$0.hasSuffix(" 5") } == ["will 1", "will 2", "will 3", "will 4", "did 1", "did 2"])
  }

  /// Each time another: there is no end to it, but an error.
  @Test func hooksThatAddForEver() throws {
    let next = Mutex(100)
    var context = try tree()
    let script = Script { hook, branch, context in
      guard hook == "will" else { return }
      let id = next.withLock { next in
        next += 1
        return next
      }
      var added = Branch(id: id)
      added.$parent = .id(branch.id)
      try added.save(to: &context)
    }
    DeletionLimit.$added.withValue(1000) {
      Script.$current.withValue(script) {
        #expect(throws: ModelError.endlessDeletion("Branch")) { try Branch.delete(id: 1, from: &context) }
      }
    }
    #expect(context.ids(Branch.self) == [1, 2, 3, 4])
    // What failed is told again.
    let other = Script { _, _, _ in }
    try Script.$current.withValue(other) { try Branch.delete(id: 1, from: &context) }
    #expect(other.log.count == 8)
  }

  @Test func refusals() throws {
    struct Refused: Error {}
    var context = try tree()
    let script = Script { hook, branch, _ in if hook == "will", branch.id == 4 { throw Refused() } }
    Script.$current.withValue(script) {
      #expect(throws: Refused.self) { try Branch.delete(id: 1, from: &context) }
    }
    #expect(context.ids(Branch.self) == [1, 2, 3, 4])
    // A hook may live with it that another deletion is refused.
    let tolerant = Script { hook, branch, context in
      if hook == "will", branch.id == 4 { throw Refused() }
      if hook == "will", branch.id == 2 { try? Branch.delete(id: 3, from: &context) }
    }
    Script.$current.withValue(tolerant) {
      #expect(throws: Refused.self) { try Branch.delete(id: 1, from: &context) }
    }
    #expect(tolerant.log == ["will 1", "will 2", "will 3", "will 4", "will 3", "will 4"])
  }

  /// Hooks that add one after the other come to an end, wherever they add: below who goes, beside, at the top, in turn.
  @Test(arguments: ["below", "beside", "above", "in turn"]) func hooksThatAddMany(_ place: String) throws {
    let next = Mutex(100)
    let (log, left) = try delete { hook, branch, context in
      guard hook == "will" else { return }
      let id = next.withLock { next in
        next += 1
        return next
      }
      if id > 3100 { return }
      var added = Branch(id: id)
      switch place {
      case "below": added.$parent = .id(branch.id)
      case "beside": added.$parent = .id(branch.$parent.id ?? 1)
      case "above": added.$parent = .id(1)
      default: added.$parent = .id(id % 4 + 1)
      }
      try added.save(to: &context)
    }
    // 1 to 4, and 101 to 3100.
    #expect(log.count == 2 * 3004 && Set(log).count == 2 * 3004 && left == [])
  }

  /// Added by who goes at first, any number is finite.
  @Test func hooksThatAddAtOnce() throws {
    let (log, left) = try DeletionLimit.$added.withValue(10) {
      try delete { hook, branch, context in
        guard hook == "will", branch.id == 4 else { return }
        for id in 100..<1100 {
          var added = Branch(id: id)
          added.$parent = .id(2)
          try added.save(to: &context)
        }
      }
    }
    #expect(log.count == 2 * 1004 && left == [])
  }

  /// Hooks that write make no version each.
  @Test func hooksThatWrite() throws {
    // Its hooks are known from then on.
    _ = try tree()
    func versions(_ count: Int) throws -> UInt64 {
      var context = try tree()
      for id in 100..<(100 + count) {
        var added = Branch(id: id)
        added.$parent = .id(2)
        try added.save(to: &context)
      }
      for id in 1...2 { try LogEntry(id: id, text: "known").save(to: &context) }
      let before = try #require(context.storage.current).version
      let script = Script { hook, branch, context in
        try LogEntry(id: branch.id * 2 + (hook == "did" ? 1 : 0), text: hook).save(to: &context)
      }
      try Script.$current.withValue(script) { try Branch.delete(id: 1, from: &context) }
      #expect(script.log.count == 2 * (count + 4) && context.ids(Branch.self) == [])
      return try #require(context.storage.current).version - before
    }
    _ = try versions(1)
    let few = try versions(5)
    #expect(try versions(50) == few)
  }

  // MARK: - Copies of the context

  /// A copy that a hook keeps knows nothing of the deletion when that is over, however it has ended.
  @Test(arguments: ["will 4", "did 1", "did 4", "will 1"], [false, true])
  func copiesThatHooksKeep(_ place: String, _ fails: Bool) throws {
    struct Refused: Error {}
    let kept = Mutex<Context?>(nil)
    var context = try tree()
    let script = Script { hook, branch, context in
      if "\(hook) \(branch.id)" == place { kept.withLock { $0 = context } }
      if fails, hook == "did", branch.id == 4 { throw Refused() }
    }
    try Script.$current.withValue(script) {
      if fails {
        #expect(throws: Refused.self) { try Branch.delete(id: 1, from: &context) }
      } else {
        try Branch.delete(id: 1, from: &context)
      }
    }
    #expect(context.ids(Branch.self) == (fails ? [1, 2, 3, 4] : []))
    var copy = try #require(kept.withLock { $0 })
    let isBefore = place.hasPrefix("will")
    #expect(copy.ids(Branch.self) == (isBefore ? [1, 2, 3, 4] : []))
    if !isBefore { try #require(Deleted<Branch>.query(1).resolve(in: copy)).restore(in: &copy) }
    let other = Script { _, _, _ in }
    try Script.$current.withValue(other) { try Branch.delete(id: 1, from: &copy) }
    #expect(other.log == ["will 1", "will 2", "will 3", "will 4", "did 1", "did 2", "did 3", "did 4"])
    #expect(copy.ids(Branch.self) == [] && Database(copy).check().isEmpty && Database(context).check().isEmpty)
  }

  /// What a hook does in a copy stays there, and the deletion goes on.
  @Test func copiesThatHooksChange() throws {
    let kept = Mutex<Context?>(nil)
    let (log, left) = try delete { hook, branch, context in
      guard hook == "will", branch.id == 3 else { return }
      var copy = context
      try Branch(id: 9).save(to: &copy)
      Branch(id: 3).detach(\.$children, inverse: \.$parent, in: &copy)
      kept.withLock { $0 = copy }
    }
    #expect(log.count == 8 && left == [])
    var copy = try #require(kept.withLock { $0 })
    #expect(copy.ids(Branch.self) == [1, 2, 3, 4, 9])
    let other = Script { _, _, _ in }
    try Script.$current.withValue(other) { try Branch.delete(id: 1, from: &copy) }
    #expect(other.log == ["will 1", "will 2", "will 3", "did 1", "did 2", "did 3"] && copy.ids(Branch.self) == [4, 9])
  }

  /// Another thread's deletion in a copy tells all, while the one whose hook has handed the copy over goes on.
  @Test func copiesOfOtherThreads() throws {
    let others = Mutex<[String]>([])
    let (log, left) = try delete { hook, branch, context in
      guard hook == "will", branch.id == 4 else { return }
      let copy = context
      let other = Script { hook, branch, _ in others.withLock { $0.append("\(hook) \(branch.id)") } }
      let thread = Thread {
        var copy = copy
        Script.$current.withValue(other) { try? Branch.delete(id: 1, from: &copy) }
        others.withLock { $0.append("left \(copy.ids(Branch.self))") }
      }
      thread.start()
      while others.withLock({ $0.last?.hasPrefix("left") != true }) { Thread.sleep(forTimeInterval: 0.001) }
    }
    #expect(log.count == 8 && left == [])
    #expect(others.withLock { $0 } == log + ["left []"])
  }

  /// Deep trees and wide ones, in which each deletes who owns it: it goes with those that are told already.
  @Test(arguments: ["wide", "deep"]) func manyThatDeleteTheirOwners(_ form: String) throws {
    let count = 5000
    var context = Context()
    for id in 1...count {
      var added = Branch(id: id)
      if id > 1 { added.$parent = .id(form == "wide" ? 1 : id - 1) }
      try added.save(to: &context)
    }
    let script = Script { hook, branch, context in
      if hook == "will", let parent = branch.$parent.id { try Branch.delete(id: parent, from: &context) }
    }
    try Script.$current.withValue(script) { try Branch.delete(id: 1, from: &context) }
    #expect(script.log.count == 2 * count && Set(script.log).count == 2 * count && context.ids(Branch.self) == [])
    #expect(Database(context).check().isEmpty)
  }

  /// What a hook has asked for goes, also if another one takes it out of the cascade then.
  @Test func askedForAndTakenOut() throws {
    let (log, left) = try delete { hook, branch, context in
      // 3 is told already, and leads to 4.
      if hook == "did" { return }
      if branch.id == 3 {
        var added = Branch(id: 5)
        added.$parent = .id(3)
        try added.save(to: &context)
      }
      if branch.id == 4 {
        try Branch.delete(id: 3, from: &context)
        Branch(id: 1).detach(3, relation: \.$children, in: &context)
      }
    }
    #expect(log.count == 10 && Set(log).count == 10 && left == [])
  }
}
