import GQLStore
import Testing

/// Lists that are merged by element.
@Suite struct ListMergeTests {
  private func merge(_ base: String, _ mine: String, _ theirs: String, prefersMine: Bool = false) -> String {
    String(ListMerge(base: Array(base), mine: Array(mine), theirs: Array(theirs), prefersMine: prefersMine).elements)
  }

  @Test(
    "elements have the places that follow from both sides",
    arguments: [
      ("abc", "abc", "abc", "abc"), ("abc", "abcm", "abc", "abcm"), ("abc", "abc", "abct", "abct"),
      ("abc", "abcm", "abct", "abctm"), ("abc", "mabc", "tabc", "tmabc"), ("abc", "ambc", "atbc", "atmbc"),
      ("abc", "ac", "ab", "a"), ("abc", "", "abct", "t"), ("", "mn", "tu", "tumn"), ("abc", "cba", "abc", "cba"),
      ("abc", "abc", "cba", "cba"), ("abc", "cba", "abtc", "cbta"), ("abc", "cba", "cba", "cba"),
      ("abcd", "acbd", "abcxd", "acxbd"), ("abc", "xabc", "xabc", "xabc"), ("abc", "axbc", "abcx", "abcx"),
    ])
  func places(_ base: String, _ mine: String, _ theirs: String, _ merged: String) {
    #expect(merge(base, mine, theirs) == merged)
  }

  @Test("orders that contradict each other are told, and one is taken") func contradictory() {
    let merge = ListMerge(base: Array("abc"), mine: Array("bac"), theirs: Array("cab"), prefersMine: true)
    #expect(merge.isContradictory && String(merge.elements) == "bac")
    #expect(self.merge("abc", "bac", "cab") == "cab")
    #expect(!ListMerge(base: Array("abc"), mine: Array("bac"), theirs: Array("bac"), prefersMine: true).isContradictory)
  }

  @Test("what was added is there, and what was removed is gone") func sets() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      func list() -> [Int] { Array((0..<8).shuffled(using: &random).prefix(Int.random(in: 0...8, using: &random))) }
      let (base, mine, theirs) = (list(), list(), list())
      let merged = ListMerge(base: base, mine: mine, theirs: theirs, prefersMine: Bool.random(using: &random)).elements
      let wanted = Set(
        (0..<8).filter { element in
          base.contains(element)
            ? mine.contains(element) && theirs.contains(element) : mine.contains(element) || theirs.contains(element)
        })
      #expect(Set(merged) == wanted && merged.count == wanted.count, "\(base) \(mine) \(theirs)")
    }
  }
}
