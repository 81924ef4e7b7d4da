import GQLBase
import GQLStore
import Testing

@testable import GQLExecutor

/// Texts that lie one behind the other are searched together.
@Suite struct TextRunsTests {
  /// Long texts as a column keeps them: aligned, behind each other.
  private final class Texts {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
    let cells = UnsafeMutablePointer<Cell>.allocate(capacity: 1024)
    let validity = UnsafeMutablePointer<UInt8>.allocate(capacity: 1024)
    let truths = UnsafeMutablePointer<UInt8>.allocate(capacity: 1024)
    var count = 0
    var used = 0

    init(aligning byte: UInt8) { memory.initializeMemory(as: UInt8.self, repeating: byte, count: 1 << 20) }

    deinit {
      memory.deallocate()
      cells.deallocate()
      validity.deallocate()
      truths.deallocate()
    }

    func append(_ bytes: [UInt8]?, gap: Int = 0) {
      defer { count += 1 }
      validity[count] = bytes == nil ? 0 : 1
      guard let bytes else {
        cells[count] = Cell(low: 0x3FFF_FFFF, high: 8)
        return
      }
      used += gap
      (memory + used).copyMemory(from: bytes, byteCount: bytes.count)
      cells[count] = TextView(memory + used, count: bytes.count).cell
      if bytes.count > 12 { used += (bytes.count + 7) & ~7 }
    }

    func mark(_ needle: [UInt8], adding: Bool = false) -> [UInt8] {
      let vector = Vector(kind: .wide, values: UnsafeMutableRawPointer(cells), validity: validity)
      needle.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        TextSearch.mark((start, bytes.count), in: vector, count, truths, adding: adding)
      }
      return (0..<count).map { truths[$0] }
    }
  }

  /// Place by place.
  private func truth(_ text: [UInt8]?, _ needle: [UInt8]) -> UInt8 {
    guard let text else { return 1 }
    if text.count > 256 { return TextSearch.unknown }
    guard text.count >= needle.count else { return 0 }
    return (0...(text.count - needle.count)).contains { Array(text[$0..<$0 + needle.count]) == needle } ? 2 : 0
  }

  @Test("Runs are searched as each text is", arguments: 0..<40)
  func random(_ seed: Int) {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let letters = 2 + seed % 3
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(97 + below(letters)) } }
    // What aligns texts may hold what is looked for.
    let texts = Texts(aligning: UInt8(ascii: "a"))
    var all: [[UInt8]?] = []
    for _ in 0..<(seed % 5 == 0 ? below(4) : 1 + below(1024)) {
      let kind = below(40)
      let length = kind == 0 ? 240 + below(40) : kind < 8 ? below(13) : 13 + below(60)
      let text = below(20) == 0 ? nil : bytes(length)
      all.append(text)
      texts.append(text, gap: below(30) == 0 ? 8 * below(5) : 0)
    }
    for length in [1, 2, 3, 5, 8, 12, 13, 17, 40, 300] {
      let needle = bytes(length)
      #expect(texts.mark(needle) == all.map { truth($0, needle) })
      let other = bytes(4)
      let both = texts.mark(other, adding: true)
      #expect(both == all.map { max(truth($0, needle), truth($0, other)) })
    }
  }

  @Test("No match reaches from one text into the next")
  func boundaries() {
    let texts = Texts(aligning: UInt8(ascii: "x"))
    for _ in 0..<100 { texts.append(Array("bbbbbbbbbbbbaaaa".utf8)) }
    #expect(texts.mark(Array("aabb".utf8)) == .init(repeating: 0, count: 100))
    #expect(texts.mark(Array("baaaa".utf8)) == .init(repeating: 2, count: 100))
    #expect(texts.mark(Array("bbbbbbbbbbbbaaaa".utf8)) == .init(repeating: 2, count: 100))
  }
}
