import Testing

@testable import GQLStore

/// Containers whose copies share what neither of them has written.
@Suite struct PersistentDictionaryTests {
  /// Against Swift's dictionary, with copies that are taken and written to at any time.
  @Test(arguments: 0..<8) func followsADictionary(_ seed: Int) {
    var random = SeededRandom(UInt64(seed))
    var branches: [(made: PersistentDictionary<Int, String>, model: [Int: String])] = [(PersistentDictionary(), [:])]
    let keys = [40, 4_000][seed % 2]
    for step in 0..<12_000 {
      let branch = Int.random(in: branches.indices, using: &random)
      let key = Int.random(in: 0..<keys, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        branches[branch].made[key] = "v\(step)"
        branches[branch].model[key] = "v\(step)"
      case 5..<8:
        branches[branch].made[key] = nil
        branches[branch].model[key] = nil
      case 8:
        let length = branches[branch].made.update(key) { value in
          value += "+"
          return value.count
        }
        branches[branch].model[key]? += "+"
        #expect(length == branches[branch].model[key]?.count)
      default:
        if step % 40 == 0, branches.count < 6 { branches.append(branches[branch]) }
      }
      #expect(branches[branch].made[key] == branches[branch].model[key])
    }
    for (made, model) in branches {
      #expect(made.count == model.count && made.isEmpty == model.isEmpty)
      for key in 0..<keys { #expect(made[key] == model[key]) }
    }
  }

  @Test func manyKeysAndKeysOfOneHash() {
    struct Colliding: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) {}
    }
    var made = PersistentDictionary<Int, Int>()
    var colliding = PersistentDictionary<Colliding, Int>()
    for number in 0..<100_000 { made[number] = number }
    for number in 0..<300 { colliding[Colliding(number: number)] = number }
    let copies = (made, colliding)
    for number in 0..<100_000 where number % 3 != 0 { made[number] = nil }
    for number in 0..<300 where number % 3 != 0 { colliding[Colliding(number: number)] = nil }
    #expect(made.count == 33_334 && copies.0.count == 100_000 && colliding.count == 100 && copies.1.count == 300)
    #expect((0..<100_000).allSatisfy { made[$0] == ($0 % 3 == 0 ? $0 : nil) && copies.0[$0] == $0 })
    #expect((0..<300).allSatisfy { colliding[Colliding(number: $0)] == ($0 % 3 == 0 ? $0 : nil) })
    #expect((0..<300).allSatisfy { copies.1[Colliding(number: $0)] == $0 })
  }

  /// The ends of leaves and of what holds 128 of them.
  @Test(arguments: [0, 1, 127, 128, 129, 16_383, 16_384, 16_385, 40_000]) func arrays(_ count: Int) {
    var made = PersistentArray<Int>()
    for number in 0..<count { made.append(number) }
    #expect(made.count == count && (0..<count).allSatisfy { made[$0] == $0 })
    let old = made
    for number in stride(from: 0, to: count, by: 100) { made[number] = -number }
    made.append(7)
    #expect(old.count == count && (0..<count).allSatisfy { old[$0] == $0 })
    #expect((0..<count).allSatisfy { made[$0] == ($0 % 100 == 0 ? -$0 : $0) } && made[count] == 7)
    // As many leave as have come, and come again.
    let full = made
    #expect(made.popLast() == 7)
    for number in (0..<count).reversed() { #expect(made.popLast() == (number % 100 == 0 ? -number : number)) }
    #expect(made.popLast() == nil && made.count == 0 && full.count == count + 1)
    for number in 0..<(count + 200) { made.append(number + 1) }
    #expect((0..<(count + 200)).allSatisfy { made[$0] == $0 + 1 } && full[count] == 7)
  }
}
