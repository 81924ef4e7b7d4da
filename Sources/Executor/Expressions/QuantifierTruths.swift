import GQLBase
import GQLQuery

/// A collector of what the condition of a quantifier says of the members of many parents.
///
/// A member for which the condition fails is an error only where no other member decides, whatever the order in which
/// members are looked at: no plan makes an error that another one does not.
struct QuantifierTruths {
  private let quantifier: Quantifier
  /// Holds the truth that stands as long as no member says otherwise; for `one` the number of members so far.
  private let truths: UnsafeMutablePointer<UInt8>
  private let count: Int
  private let initial: UInt8
  /// The first problem of each parent.
  private var problems: [UInt16: RuntimeProblem] = [:]

  init(_ quantifier: Quantifier, _ truths: UnsafeMutablePointer<UInt8>, _ count: Int) {
    (self.quantifier, self.truths, self.count) = (quantifier, truths, count)
    initial = quantifier == .every || quantifier == .none ? 2 : 0
    truths.update(repeating: initial, count: count)
  }

  /// Returns whether no further member of a parent changes the truth.
  func isDecided(_ parent: Int) -> Bool { quantifier == .one ? truths[parent] > 1 : truths[parent] != initial }

  /// Evaluates the condition, which is a block, for members of some parents.
  mutating func add(
    _ members: Batch, _ parents: UnsafePointer<UInt16>, _ condition: Int32, _ state: ExpressionState,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    do throws(RuntimeProblem) {
      let results = try state.evaluate(Int(condition), members, execution).root(0).truths
      return add(UnsafePointer(results), parents, members.count)
    } catch {
      guard error.kind.isOfOneRow else { throw error }
      try execution.checkpoint()
      guard members.count > 1 else {
        if problems[parents[0]] == nil { problems[parents[0]] = error }
        return
      }
    }
    // All but those that fail are asked: in parts, then one by one. Halves would ask each member ten times, and where
    // quantifiers stand in each other, each level ten times as often.
    let size = Self.partSize(of: members.count)
    for start in stride(from: 0, to: members.count, by: size) {
      let part = members.slice(start, min(size, members.count - start))
      try add(part, parents + start, condition, state, execution)
    }
  }

  /// Returns how many of a batch that has failed are asked together next.
  static func partSize(of count: Int) -> Int { max(1, count / 32) }

  private func add(_ results: UnsafePointer<UInt8>, _ parents: UnsafePointer<UInt16>, _ found: Int) {
    switch quantifier {
    case .some, .exists:
      for index in 0..<found { truths[Int(parents[index])] |= results[index] & 2 }
    case .every:
      for index in 0..<found { truths[Int(parents[index])] &= results[index] & 2 }
    case .none:
      for index in 0..<found { truths[Int(parents[index])] &= ~results[index] & 2 }
    case .one:
      for index in 0..<found where results[index] == 2 {
        truths[Int(parents[index])] = min(truths[Int(parents[index])] &+ 1, 2)
      }
    }
  }

  /// Makes the truths of all parents final. Throws the problem of the first parent that no member decides.
  func finish() throws(RuntimeProblem) {
    if !problems.isEmpty, let first = problems.keys.filter({ !isDecided(Int($0)) }).min(), let problem = problems[first]
    {
      throw problem
    }
    guard quantifier == .one else { return }
    for index in 0..<count { truths[index] = truths[index] == 1 ? 2 : 0 }
  }
}
