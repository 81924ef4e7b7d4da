import Testing

@testable import GQLExecutor

@Suite struct RowBufferTests {
  @Test("Ascending rows are merged as sets are united", arguments: 0..<50) func merging(_ seed: Int) {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func next(_ bound: UInt32) -> UInt32 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt32(truncatingIfNeeded: state >> 33) % bound
    }
    func some() -> Set<UInt32> { Set((0..<next(40)).map { _ in next(60) }) }
    let before: [UInt32] = [9, 9, 3]
    let (left, right) = (some(), some())
    var buffer = RowBuffer()
    for row in before + left.sorted() { buffer.append(row) }
    right.sorted().withUnsafeBufferPointer { rows in
      if let start = rows.baseAddress { buffer.mergeAscending(from: before.count, start, rows.count) }
    }
    #expect((0..<buffer.count).map { buffer[$0] } == before + left.union(right).sorted())
  }
}
