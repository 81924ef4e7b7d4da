import GQLBase

/// Finds the operations of RFC 6902 that lead from one JSON text to another.
///
/// Elements of lists are matched by their member `id`, others by their bytes: those that stand in one order in both are
/// kept, and only what is new in them is said. Applied to the old bytes, the operations lead to the new ones.
struct JSONDifference: ~Copyable {
  private let old: JSONTree
  private let new: JSONTree
  private var output = ByteBuffer(capacity: 256)
  private var path: [UInt8] = []
  /// More bytes than this are no gain.
  private let limit: Int
  /// Indicates whether there are more, and the operations are not all.
  private var isCut = false
  /// Values that lie deeper are replaced as a whole.
  private static let deepest = 100

  /// Returns the operations as a JSON list.
  static func patch(from old: [UInt8], to new: [UInt8]) -> [UInt8] {
    guard let before = JSONTree(old), let after = JSONTree(new) else { return replacement(new) }
    var difference = JSONDifference(before, after)
    difference.compare(0, 0, depth: 0)
    if difference.isCut || difference.output.count > difference.limit { return replacement(new) }
    if difference.output.isEmpty { return Array("[]".utf8) }
    difference.output.append(0x5D)
    return difference.output.takeArray()
  }

  /// Returns the operations that lead from a value within a text to another one, with commas between them; none where
  /// they are the same.
  static func operations(from old: [UInt8], to new: [UInt8], at path: [UInt8]) -> [UInt8] {
    guard let before = JSONTree(old), let after = JSONTree(new) else { return operation("replace", at: path, new) }
    var difference = JSONDifference(before, after)
    difference.path = path
    difference.compare(0, 0, depth: 0)
    if difference.isCut || difference.output.count > difference.limit + path.count {
      return operation("replace", at: path, new)
    }
    // Without the bracket that a list begins with.
    return Array(difference.output.takeArray().dropFirst())
  }

  /// Returns an operation on the value at a path.
  static func operation(_ name: String, at path: [UInt8], _ value: [UInt8]?) -> [UInt8] {
    var output = ByteBuffer(capacity: path.count + (value?.count ?? 0) + 48)
    append(name, at: path, value.map { $0[...] }, to: &output)
    return output.takeArray()
  }

  private static func append(
    _ name: String, at path: [UInt8], _ value: ArraySlice<UInt8>?, to output: inout ByteBuffer
  ) {
    output.append(#"{"op":""#)
    output.append(utf8: name)
    output.append(#"","path":""#)
    path.withUnsafeBytes { output.append($0) }
    output.append(0x22)
    if let value {
      output.append(#","value":"#)
      value.withUnsafeBytes { output.append($0) }
    }
    output.append(0x7D)
  }

  /// Returns a list of operations that lead to a text, or the text as a whole where it is no longer.
  static func patch(of operations: [[UInt8]], to new: [UInt8]) -> [UInt8] {
    if operations.reduce(0, { $0 + $1.count + 1 }) > new.count + 40 { return replacement(new) }
    return [0x5B] + Array(operations.joined(separator: [0x2C])) + [0x5D]
  }

  private static func replacement(_ new: [UInt8]) -> [UInt8] {
    [0x5B] + operation("replace", at: [], new) + [0x5D]
  }

  private init(_ old: JSONTree, _ new: JSONTree) {
    self.old = old
    self.new = new
    limit = new.bytes.count + 40
  }

  private mutating func compare(_ before: Int, _ after: Int, depth: Int) {
    if old.isSame(before, as: after, of: new) { return }
    if output.count > limit {
      isCut = true
      return
    }
    guard depth < Self.deepest else { return write("replace", value: after) }
    switch (old.nodes[before].kind, new.nodes[after].kind) {
    case (.object, .object): compareMembers(before, after, depth: depth)
    case (.array, .array): compareElements(before, after, depth: depth)
    default: write("replace", value: after)
    }
  }

  // MARK: - Objects

  private mutating func compareMembers(_ before: Int, _ after: Int, depth: Int) {
    let (members, others) = (old.children(before), new.children(after))
    var next = 0
    // Members are added at the end only, so those that stay must stand first, in one order.
    var removed: [Int] = []
    var kept: [(Int, Int)] = []
    for member in members {
      if next < others.count, old.key(member) == new.key(others[next]) {
        kept.append((member, others[next]))
        next += 1
      } else {
        removed.append(member)
      }
    }
    let added = others[next...]
    let keys = Set(removed.map { old.key($0) })
    let canBeNamed = members.allSatisfy { Self.isPlain(old.key($0)) } && added.allSatisfy { Self.isPlain(new.key($0)) }
    guard canBeNamed, !added.contains(where: { keys.contains(new.key($0)) }) else {
      return write("replace", value: after)
    }
    let end = path.count
    for member in removed {
      step(old.key(member))
      write("remove", value: nil)
      path.removeSubrange(end...)
    }
    for (member, other) in kept {
      step(old.key(member))
      compare(member, other, depth: depth + 1)
      path.removeSubrange(end...)
    }
    for member in added {
      step(new.key(member))
      write("add", value: member)
      path.removeSubrange(end...)
    }
  }

  /// Indicates whether a key can stand in a path as it is written.
  private static func isPlain(_ key: ArraySlice<UInt8>) -> Bool { !key.contains(0x5C) }

  private mutating func step(_ key: ArraySlice<UInt8>) { path += Self.step(key) }

  /// Returns the part of a path that leads to a member or an element.
  static func step(_ key: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = [0x2F]
    for byte in key {
      switch byte {
      case 0x7E: result += Array("~0".utf8)
      case 0x2F: result += Array("~1".utf8)
      default: result.append(byte)
      }
    }
    return result
  }

  // MARK: - Lists

  private mutating func compareElements(_ before: Int, _ after: Int, depth: Int) {
    let (elements, others) = (old.children(before), new.children(after))
    let left = elements.map { old.identity($0) ?? old.value($0) }
    let right = others.map { new.identity($0) ?? new.value($0) }
    // Later places first, so that those before are still what they were.
    var (end, otherEnd) = (elements.count, others.count)
    for (place, other) in matches(left, right).reversed() {
      compareGap(elements[(place + 1)..<end], others[(other + 1)..<otherEnd], at: place + 1, depth: depth)
      compareElement(elements[place], others[other], at: place, depth: depth)
      (end, otherEnd) = (place, other)
    }
    compareGap(elements[..<end], others[..<otherEnd], at: 0, depth: depth)
  }

  /// Says what is in the place of elements that have no partner.
  private mutating func compareGap(_ before: ArraySlice<Int>, _ after: ArraySlice<Int>, at first: Int, depth: Int) {
    let common = min(before.count, after.count)
    for place in stride(from: before.count - 1, through: common, by: -1) {
      at(first + place) { $0.write("remove", value: nil) }
    }
    for place in common..<max(common, after.count) {
      at(first + place) { $0.write("add", value: after[after.startIndex + place]) }
    }
    for place in 0..<common {
      let (element, other) = (before[before.startIndex + place], after[after.startIndex + place])
      if old.identity(element) != nil, new.identity(other) != nil {
        at(first + place) { $0.write("replace", value: other) }
      } else {
        compareElement(element, other, at: first + place, depth: depth)
      }
    }
  }

  private mutating func compareElement(_ before: Int, _ after: Int, at place: Int, depth: Int) {
    at(place) { $0.compare(before, after, depth: depth + 1) }
  }

  private mutating func at(_ place: Int, _ body: (inout JSONDifference) -> Void) {
    let end = path.count
    step(ArraySlice(String(place).utf8))
    body(&self)
    path.removeSubrange(end...)
  }

  /// The places of elements that are in both lists, ascending in both.
  private func matches(_ left: [ArraySlice<UInt8>], _ right: [ArraySlice<UInt8>]) -> [(Int, Int)] {
    var first = 0
    while first < min(left.count, right.count), left[first] == right[first] { first += 1 }
    var tail = 0
    while tail < min(left.count, right.count) - first,
      left[left.count - 1 - tail] == right[right.count - 1 - tail]
    {
      tail += 1
    }
    let (end, otherEnd) = (left.count - tail, right.count - tail)
    var result = (0..<first).map { ($0, $0) }
    // Of the others those that are in each list once.
    var places: [ArraySlice<UInt8>: Int] = [:]
    for place in first..<otherEnd { places[right[place]] = places[right[place]] == nil ? place : -1 }
    var seen: [ArraySlice<UInt8>: Int] = [:]
    for place in first..<end { seen[left[place], default: 0] += 1 }
    let pairs = (first..<end).compactMap { place -> (Int, Int)? in
      guard seen[left[place]] == 1, let other = places[left[place]], other >= 0 else { return nil }
      return (place, other)
    }
    result += ascending(pairs)
    return result + (0..<tail).map { (end + $0, otherEnd + $0) }
  }

  /// The most pairs whose second places ascend. The first ones do.
  private func ascending(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
    // By length: the pair with the lowest place that such a chain may end with.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: pairs.count)
    for index in pairs.indices {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].1 < pairs[index].1 { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var chain: [(Int, Int)] = []
    var next = ends.last ?? -1
    while next >= 0 {
      chain.append(pairs[next])
      next = previous[next]
    }
    return chain.reversed()
  }

  // MARK: - Writing

  private mutating func write(_ operation: String, value: Int?) {
    output.append(output.isEmpty ? 0x5B : 0x2C)
    Self.append(operation, at: path, value.map { new.value($0) }, to: &output)
  }
}
