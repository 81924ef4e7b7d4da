import GQLDifferential
import GQLEngine
import GQLite
import Testing

@Suite("JSON patches") struct JSONPatchTests {
  private func patch(_ old: String, _ new: String) throws -> String {
    let patch = JSONPatch(from: Answer(utf8: Array(old.utf8)), to: Answer(utf8: Array(new.utf8))).jsonString
    var tree = try JSONReference(old)
    try tree.apply(try JSONReference(patch))
    #expect(tree.text == new, "\(patch)")
    return patch
  }

  @Test("an element that comes, goes or changes is one operation") func lists() throws {
    #expect(
      try patch(
        #"{"a":[{"id":1,"n":"x"},{"id":2,"n":"y"}]}"#, #"{"a":[{"id":3,"n":"z"},{"id":1,"n":"x"},{"id":2,"n":"y"}]}"#)
        == #"[{"op":"add","path":"/a/0","value":{"id":3,"n":"z"}}]"#)
    #expect(
      try patch(
        #"{"a":[{"id":1,"n":"x"},{"id":2,"n":"y","more":"as long as the operations"}]}"#,
        #"{"a":[{"id":2,"n":"q","more":"as long as the operations"}]}"#)
        == #"[{"op":"replace","path":"/a/1/n","value":"q"},{"op":"remove","path":"/a/0"}]"#)
    #expect(try patch(#"{"a":[1,2,3,4]}"#, #"{"a":[1,3,4]}"#) == #"[{"op":"remove","path":"/a/1"}]"#)
    #expect(try patch(#"{"a":[1,2]}"#, #"{"a":[1,2]}"#) == "[]")
    #expect(try patch(#"{"a":[]}"#, #"{"a":["x"]}"#) == #"[{"op":"add","path":"/a/0","value":"x"}]"#)
  }

  @Test("members are named by their keys, or their object is replaced") func members() throws {
    #expect(try patch(#"{"a/b":1,"c~d":2}"#, #"{"a/b":1,"c~d":3}"#) == #"[{"op":"replace","path":"/c~0d","value":3}]"#)
    #expect(
      try patch(#"{"x":{"a":1,"b":2,"c":[1,2,3,4,5,6,7,8,9]}}"#, #"{"x":{"b":2,"c":[1,2,3,4,5,6,7,8,9],"d":4}}"#)
        == #"[{"op":"remove","path":"/x/a"},{"op":"add","path":"/x/d","value":4}]"#)
    // The order of members is a part of the bytes.
    #expect(try patch(#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#).contains(#""op":"replace","path":"""#))
    #expect(try patch(#"{"a\n":1,"b":2}"#, #"{"a\n":2,"b":2}"#).contains(#""op":"replace","path":"""#))
    #expect(try patch(#"{"a":1.50}"#, #"{"a":1.5}"#) == #"[{"op":"replace","path":"/a","value":1.5}]"#)
    #expect(try patch(#"{"a":{"b":1}}"#, #"{"a":null}"#) == #"[{"op":"replace","path":"/a","value":null}]"#)
  }

  @Test("random lists and objects", arguments: 0..<200) func random(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var value = JSONText.object(depth: 4, &random)
    for _ in 0..<20 {
      let next = random.chance(80) ? value.changed(&random) : JSONText.object(depth: 4, &random)
      _ = try patch(value.text, next.text)
      value = next
    }
  }

  @Test("an answer of many levels") func deep() throws {
    let depth = 20_000
    func text(_ leaf: Int) -> String {
      String(repeating: #"{"a":["#, count: depth) + "\(leaf)" + String(repeating: "]}", count: depth)
    }
    let patch = JSONPatch(from: Answer(utf8: Array(text(1).utf8)), to: Answer(utf8: Array(text(2).utf8)))
    #expect(patch.utf8.count < text(2).utf8.count + 1000)
  }
}

/// A random JSON value that changes in small steps.
private indirect enum JSONText {
  case scalar(Int)
  case list([JSONText])
  case members([(key: String, value: JSONText)])

  static func object(depth: Int, _ random: inout SeededRandom) -> JSONText {
    if depth == 0 { return .scalar(random.below(5)) }
    var members: [(key: String, value: JSONText)] = []
    for key in ["id", "name", "x/y", "list"] where random.chance(80) {
      members.append((key, key == "id" ? .scalar(random.below(20)) : any(depth: depth - 1, &random)))
    }
    return .members(members)
  }

  static func any(depth: Int, _ random: inout SeededRandom) -> JSONText {
    if depth == 0 || random.chance(30) { return .scalar(random.below(5)) }
    if random.chance(30) { return object(depth: depth, &random) }
    return .list(
      (0..<random.below(6)).map { _ in
        random.chance(70) ? object(depth: depth - 1, &random) : any(depth: depth - 1, &random)
      })
  }

  func changed(_ random: inout SeededRandom) -> JSONText {
    switch self {
    case .scalar: return .scalar(random.below(5))
    case .list(var elements):
      let place = random.below(elements.count + 1)
      switch random.below(4) {
      case 0: elements.insert(Self.object(depth: 1, &random), at: place)
      case 1 where place < elements.count: elements.remove(at: place)
      case 2 where elements.count > 1: elements.swapAt(0, min(place, elements.count - 1))
      default: if place < elements.count { elements[place] = elements[place].changed(&random) }
      }
      return .list(elements)
    case .members(var members):
      if members.isEmpty { return self }
      let place = random.below(members.count)
      if random.chance(15) {
        members.remove(at: place)
      } else {
        members[place].value = members[place].value.changed(&random)
      }
      return .members(members)
    }
  }

  var text: String {
    switch self {
    case .scalar(let number): "\(number)"
    case .list(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .members(let members): "{" + members.map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ",") + "}"
    }
  }
}
