import GQLDifferential
import Testing

@testable import GQLLoader

/// Sets of values by their bytes, whether they are kept as runs or by hashes.
@Suite struct ValueSetTests {
  private func insert(_ value: String, into set: inout ValueSet) {
    Array(value.utf8).withUnsafeBufferPointer { set.insert($0) }
  }

  private func set(_ values: [String]) -> ValueSet {
    var set = ValueSet()
    for value in values { insert(value, into: &set) }
    return set
  }

  /// Lists of values as columns have them: ids in order, with gaps, repeats and other values among them.
  private func column(_ random: inout SeededRandom) -> [String] {
    var next = random.below(50) - 25
    let isGapped = random.chance(50)
    let faults = random.below(3)
    return (0..<random.below(60)).map { _ in
      if random.chance(faults) {
        return random.pick(["-0", "007", "+1", "", "-", "a", "12345678901234567890", "\(next)"])
      }
      if random.chance(faults) { return "\(random.below(40))" }
      next += isGapped ? 1 + random.below(3) : 1
      return "\(next)"
    }
  }

  @Test("counts, repeats and shared values are those of a set of texts", arguments: 0..<400 as Range<UInt64>)
  func agreesWithTexts(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let columns = (0..<3).map { _ in column(&random) }
    let sets = columns.map { set($0) }
    for (values, set) in zip(columns, sets) {
      #expect(set.count == Set(values).count, "seed \(seed)")
      #expect(set.hasRepeats == (Set(values).count < values.count), "seed \(seed)")
      for (others, other) in zip(columns, sets) {
        #expect(set.countShared(with: other.hashed) == Set(values).intersection(others).count, "seed \(seed)")
        var owners: [UInt64: Int] = [:]
        other.add(to: &owners, as: 7)
        #expect(set.countShared(with: owners)[7, default: 0] == Set(values).intersection(others).count, "seed \(seed)")
      }
    }
    var union = ValueSet()
    for set in sets { union.formUnion(set) }
    let all = columns.flatMap { $0 }
    #expect(union.count == Set(all).count, "seed \(seed)")
    #expect(union.hasRepeats == (Set(all).count < all.count), "seed \(seed)")
    #expect(union.countShared(with: set(all).hashed) == union.count, "seed \(seed)")
    // More values may come.
    insert("3", into: &union)
    #expect(union.count == Set(all + ["3"]).count, "seed \(seed)")
  }

  @Test("numbers and texts of one spelling are one value") func spellings() {
    var set = ValueSet()
    set.insert(5)
    insert("5", into: &set)
    #expect(set.count == 1 && set.hasRepeats)
    insert("x", into: &set)
    set.insert(4)
    insert("4", into: &set)
    #expect(set.count == 3)
  }
}
