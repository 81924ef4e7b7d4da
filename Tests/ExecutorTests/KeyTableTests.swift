import GQLBase
import GQLCatalog
import GQLStore
import TestClocks
import Testing

@testable import GQLExecutor

/// Numbers of keys: of JSON values by their content, of small words without a hash.
@Suite struct KeyTableTests {
  private let arena = ScratchArena()
  private let validity = UnsafeMutablePointer<UInt8>.allocate(capacity: ScopeRows.batchRows)

  init() { validity.initialize(repeating: 1, count: ScopeRows.batchRows) }

  private func cell(_ text: String) -> Cell {
    let bytes = Array(text.utf8)
    let copy = arena.allocate(bytes.count)
    copy.copyMemory(from: bytes, byteCount: bytes.count)
    return TextView(copy, count: bytes.count).cell
  }

  @Test("Equal JSON values hash alike, however they are written")
  func equalValues() {
    let hash = JSONHash(1)
    let groups = [
      ["1", "1.0", "10e-1", " 1"], ["1000", "1e3"], ["0", "-0", "0.00", "0e9"], ["\"a\\\"\"", "\"\\u0061\\u0022\""],
      ["{\"a\":1,\"b\":[2]}", "{ \"b\": [2.0], \"a\": 1 }"], ["[]", "[ ]"], ["true"], ["false"], ["null"], ["{}"],
      ["[[]]"], ["[1,2]"], ["[2,1]"], ["[[1],2]"], ["[1,[2]]"], ["{\"a\":{\"b\":1}}"], ["{\"b\":{\"a\":1}}"],
      ["\"1\""], ["\"\""], ["\"true\""], ["1e400"], ["{\"a\":1,\"b\":2}"], ["{\"a\":2,\"b\":1}"], ["{\"ab\":1}"],
    ]
    let hashes = groups.map { Set($0.map { hash.hash(cell($0)) }) }
    #expect(hashes.map(\.count) == groups.map { _ in 1 })
    #expect(Set(hashes.flatMap { $0 }).count == groups.count)
  }

  @Test("Many JSON values of one shape do not share hashes")
  func distinctValues() {
    let hash = JSONHash(1)
    var low: Set<UInt32> = []
    for index in 0..<20_000 {
      low.insert(UInt32(truncatingIfNeeded: hash.hash(cell("{\"code\":\(index),\"tags\":[\"x\",null]}"))))
    }
    // Of 32 bits each, 0.05 collisions are expected.
    #expect(low.count >= 19_998)
  }

  private func map(_ table: KeyTable, _ words: [Int64?]) -> [UInt32] {
    let values = UnsafeMutablePointer<Int64>.allocate(capacity: words.count)
    let valid = UnsafeMutablePointer<UInt8>.allocate(capacity: words.count)
    let ids = UnsafeMutablePointer<UInt32>.allocate(capacity: words.count)
    defer {
      values.deallocate()
      valid.deallocate()
      ids.deallocate()
    }
    for (index, word) in words.enumerated() {
      values[index] = word ?? -77
      valid[index] = word == nil ? 0 : 1
    }
    var vector = Vector(kind: .word, values: UnsafeMutableRawPointer(values), validity: valid)
    table.map(&vector, words.count, into: ids)
    return (0..<words.count).map { ids[$0] }
  }

  @Test("Small words and others share their numbers, in the order of first occurrence")
  func smallWords() {
    let table = KeyTable([KeyTable.Part(.int, isStable: true)])
    #expect(map(table, [3, nil, 0, 3, 4094]) == [0, 1, 2, 0, 3])
    #expect(map(table, [0, 4095, -1, nil, 4094, 7]) == [2, 4, 5, 1, 3, 6])
    #expect(map(table, [7, 3, nil, 9]) == [6, 0, 1, 7])
    for _ in 0..<5 { #expect(map(table, [1 << 40, -1]).last == 5) }
    // Nothing is encoded any more, and everything is found.
    #expect(map(table, [9, 0, nil, 10]) == [7, 2, 1, 9])
    table.removeAll()
    #expect(map(table, [9, nil]) == [0, 1])
  }

  @Test("Numbers of keys do not follow from the seed", arguments: [0, 1, 0x9E37_79B9_7F4A_7C15, UInt64.max])
  func seeds(_ seed: UInt64) {
    let table = KeyTable([KeyTable.Part(.int, isStable: true)], seed: seed)
    let words = (0..<900).map { Int64(($0 * 7919) % 300) << 40 }
    var numbers: [Int64: UInt32] = [:]
    for word in words where numbers[word] == nil { numbers[word] = UInt32(numbers.count) }
    #expect(map(table, words) == words.map { numbers[$0] })
    #expect(JSONHash(seed).hash(cell("[1, {}]")) == JSONHash(seed).hash(cell("[1.0,{}]")))
  }

  @Test("Words that were made up to collide without a seed do not")
  func craftedWords() {
    // Without a seed, these differ in bits only that a multiplication puts above those that choose a place.
    let table = KeyTable([KeyTable.Part(.int, isStable: true)])
    let time = ThreadTime.measure {
      for batch in 0..<100 { _ = map(table, (0..<1000).map { Int64(batch * 1000 + $0) << 44 }) }
    }
    #expect(time < .seconds(5))
  }

  @Test("Two small words do not run into each other")
  func pairs() {
    let table = KeyTable([KeyTable.Part(.int, isStable: true), KeyTable.Part(.int, isStable: true)])
    var seen: [[Int64]: UInt32] = [:]
    let ids = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    defer { ids.deallocate() }
    for first: Int64 in [0, 1, 2, 61, 62, 63, 64] {
      for second: Int64 in [0, 1, 62, 63, 64] {
        for _ in 0..<2 {
          var (a, b) = (first, second)
          withUnsafeMutablePointer(to: &a) { a in
            withUnsafeMutablePointer(to: &b) { b in
              let vectors = [a, b].map { Vector(kind: .word, values: UnsafeMutableRawPointer($0), validity: validity) }
              vectors.withUnsafeBufferPointer { table.map($0.baseAddress.unsafelyUnwrapped, 1, into: ids) }
            }
          }
          let expected = seen[[first, second]] ?? UInt32(seen.count)
          #expect(ids[0] == expected)
          seen[[first, second]] = expected
        }
      }
    }
  }

  private func map(_ table: KeyTable, _ texts: [String?]) -> [UInt32] {
    // A null's own cell may be anything that is no address.
    let cells = texts.map { $0.map(cell) ?? Cell(low: 0x3FFF_FFFF, high: 8) }
    let valid = texts.map { UInt8($0 == nil ? 0 : 1) }
    let copy = UnsafeMutablePointer<Cell>.allocate(capacity: cells.count)
    let validity = UnsafeMutablePointer<UInt8>.allocate(capacity: cells.count)
    let ids = UnsafeMutablePointer<UInt32>.allocate(capacity: cells.count)
    defer {
      copy.deallocate()
      validity.deallocate()
      ids.deallocate()
    }
    for index in cells.indices {
      copy[index] = cells[index]
      validity[index] = valid[index]
    }
    var vector = Vector(
      kind: .wide, values: UnsafeMutableRawPointer(copy), validity: validity, allValid: !texts.contains(nil))
    table.map(&vector, cells.count, into: ids)
    return cells.indices.map { ids[$0] }
  }

  @Test("Texts of all lengths have their numbers, in the order of first occurrence", arguments: [false, true])
  func texts(_ isStable: Bool) {
    let table = KeyTable([KeyTable.Part(.string, isStable: isStable)])
    // Texts that differ in one byte, wherever it lies; zeros end none.
    var texts: [String?] = ["", nil, "\0", "\0\0"]
    for length in [1, 3, 4, 5, 8, 11, 12, 13, 16, 17, 19, 20, 21, 22, 40] {
      for place in Set([0, length / 2, length - 1]).sorted() {
        for letter in ["b", "\0"] {
          texts.append(
            String(repeating: "a", count: place) + letter + String(repeating: "a", count: length - place - 1))
        }
      }
    }
    var numbers: [String?: UInt32] = [:]
    for round in 0..<4 {
      let batch = round == 2 ? texts.compactMap { $0 } : round == 3 ? texts.reversed() : texts
      let found = map(table, batch)
      for text in batch where numbers[text] == nil { numbers[text] = UInt32(numbers.count) }
      #expect(found == batch.map { numbers[$0] })
    }
    table.removeAll()
    #expect(map(table, ["z", texts[5], nil, "z", texts[5]]) == [0, 1, 2, 0, 1])
  }

  @Test("Texts that are many are numbered like few")
  func manyTexts() {
    let table = KeyTable([KeyTable.Part(.string, isStable: true)])
    var numbers: [String?: UInt32] = [:]
    func check(_ batch: [String?]) {
      for text in batch where numbers[text] == nil { numbers[text] = UInt32(numbers.count) }
      #expect(map(table, batch) == batch.map { numbers[$0] })
    }
    // More than are kept, each twice, so that most are found; then new ones only, until nothing is kept.
    for batch in 0..<12 {
      let fresh = (0..<500).map { Optional("text \(batch * 500 + $0)") }
      check(fresh)
      check(fresh)
      check(fresh)
    }
    for batch in 0..<8 { check((0..<1000).map { Optional("other \(batch * 1000 + $0)") }) }
    check((0..<1000).map { $0 % 7 == 0 ? nil : "text \($0 * 6)" })
  }
}
