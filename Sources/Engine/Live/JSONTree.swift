/// The structure of a JSON text that the engine has written: where its values lie.
struct JSONTree {
  enum Kind { case object, array, scalar }

  struct Node {
    var kind: Kind
    /// The bytes of the value.
    var start: Int
    var end = 0
    /// The bytes of the key within its quotes; empty but for members of objects.
    var keyStart = 0
    var keyEnd = 0
    /// The number of members or elements.
    var count = 0
    /// The node after all that lie within this one.
    var next = 0
  }

  let bytes: [UInt8]
  private(set) var nodes: ContiguousArray<Node> = []

  /// Nil where the bytes are no compact JSON.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    nodes.reserveCapacity(bytes.count / 12 + 4)
    if !read() { return nil }
  }

  private mutating func read() -> Bool {
    var open: [Int] = []
    var offset = 0
    while true {
      // A value, with its key within an object.
      var node = Node(kind: .scalar, start: offset)
      if let parent = open.last, nodes[parent].kind == .object {
        guard let end = endOfText(offset), end < bytes.count, bytes[end] == 0x3A else { return false }
        (node.keyStart, node.keyEnd) = (offset + 1, end - 1)
        offset = end + 1
        node.start = offset
      }
      guard offset < bytes.count else { return false }
      let first = bytes[offset]
      if first == 0x7B || first == 0x5B {
        node.kind = first == 0x7B ? .object : .array
        nodes.append(node)
        offset += 1
        guard offset < bytes.count else { return false }
        if bytes[offset] != first + 2 {
          open.append(nodes.count - 1)
          continue
        }
        offset += 1
        close(nodes.count - 1, offset)
      } else {
        guard let end = first == 0x22 ? endOfText(offset) : endOfWord(offset) else { return false }
        nodes.append(node)
        offset = end
        close(nodes.count - 1, offset)
      }
      // What follows a value.
      while true {
        guard let parent = open.last else { return offset == bytes.count }
        nodes[parent].count += 1
        guard offset < bytes.count else { return false }
        if bytes[offset] == 0x2C {
          offset += 1
          break
        }
        guard bytes[offset] == (nodes[parent].kind == .object ? 0x7D : 0x5D) else { return false }
        offset += 1
        open.removeLast()
        close(parent, offset)
      }
    }
  }

  private mutating func close(_ node: Int, _ end: Int) {
    nodes[node].end = end
    nodes[node].next = nodes.count
  }

  private func endOfText(_ start: Int) -> Int? {
    guard start < bytes.count, bytes[start] == 0x22 else { return nil }
    var offset = start + 1
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == 0x22 { return offset + 1 }
      offset += byte == 0x5C ? 2 : 1
    }
    return nil
  }

  private func endOfWord(_ start: Int) -> Int? {
    var offset = start
    while offset < bytes.count, bytes[offset] != 0x2C, bytes[offset] != 0x5D, bytes[offset] != 0x7D { offset += 1 }
    return offset > start ? offset : nil
  }

  // MARK: - Looking

  /// The members or elements of a node, in order.
  func children(_ node: Int) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(nodes[node].count)
    var child = node + 1
    while child < nodes[node].next {
      result.append(child)
      child = nodes[child].next
    }
    return result
  }

  func value(_ node: Int) -> ArraySlice<UInt8> { bytes[nodes[node].start..<nodes[node].end] }
  func key(_ node: Int) -> ArraySlice<UInt8> { bytes[nodes[node].keyStart..<nodes[node].keyEnd] }

  /// Returns whether a value has the bytes of another tree's.
  func isSame(_ node: Int, as other: Int, of tree: JSONTree) -> Bool { value(node) == tree.value(other) }

  /// The value by which an object is told from others in its list: that of its member `id`.
  func identity(_ node: Int) -> ArraySlice<UInt8>? {
    guard nodes[node].kind == .object else { return nil }
    var child = node + 1
    while child < nodes[node].next {
      if key(child).elementsEqual("id".utf8) { return nodes[child].kind == .scalar ? value(child) : nil }
      child = nodes[child].next
    }
    return nil
  }
}
