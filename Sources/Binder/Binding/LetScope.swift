/// The `let`s and parameters that a place sees, by name: one of the many versions that a ``LetTable`` holds.
///
/// Each `let` keeps those that it sees itself, so that a thousand of them are a thousand versions.
struct LetScope {
  /// Nil where nothing is seen. The binder owns the table, and lives longer than all its scopes.
  private unowned var table: LetTable?
  private var root: Int32 = -1

  init() { table = nil }

  /// Indicates whether nothing is seen.
  var isEmpty: Bool { root < 0 }

  /// The binding that is seen under a name.
  subscript(_ name: String) -> Environment.Binding? { table?.find(name, from: root) }

  /// The names that are seen. Complexity: O(n log n).
  var names: [String] { table?.names(from: root).sorted() ?? [] }

  /// Adds a binding, or hides the one of that name with nil.
  mutating func set(_ name: String, to binding: Environment.Binding?, in table: LetTable) {
    root = table.adding(name, binding, to: root)
    self.table = table
  }
}

/// All `let`s of one binding of a document: a search tree over the hashes of the names, of which each version shares
/// all but a few nodes with the one before.
final class LetTable {
  private struct Entry {
    var hash: Int
    var name: String
    /// Nil hides the name.
    var binding: Environment.Binding?
  }
  /// A node's children differ in the bit of the hash that has the number of its depth.
  private struct Node {
    var entry: Int32
    var left: Int32 = -1
    var right: Int32 = -1
  }
  private var entries: [Entry] = []
  private var nodes: [Node] = []
  /// Bytes that the table has taken so far.
  private(set) var bytes = 0

  /// The version `root` with another binding under a name. Complexity: O(log n), as long as hashes differ.
  func adding(_ name: String, _ binding: Environment.Binding?, to root: Int32) -> Int32 {
    let hash = name.hashValue
    let known = nodes.count
    entries.append(Entry(hash: hash, name: name, binding: binding))
    let entry = Int32(entries.count - 1)
    let result = Int32(nodes.count)
    var source = root
    var depth = 0
    while source >= 0 {
      var copy = nodes[Int(source)]
      let other = entries[Int(copy.entry)]
      if other.hash == hash, other.name == name {
        copy.entry = entry
        nodes.append(copy)
        count(from: known)
        return result
      }
      let goesRight = Self.bit(depth, of: hash)
      // The copy of the child follows its parent.
      source = goesRight ? copy.right : copy.left
      let next = Int32(nodes.count + 1)
      if goesRight { copy.right = next } else { copy.left = next }
      nodes.append(copy)
      depth += 1
    }
    nodes.append(Node(entry: entry))
    count(from: known)
    return result
  }

  private func count(from known: Int) {
    bytes += MemoryLayout<Entry>.stride + (nodes.count - known) * MemoryLayout<Node>.stride
  }

  func find(_ name: String, from root: Int32) -> Environment.Binding? {
    guard root >= 0 else { return nil }
    let hash = name.hashValue
    var place = root
    var depth = 0
    while place >= 0 {
      let node = nodes[Int(place)]
      if entries[Int(node.entry)].hash == hash, entries[Int(node.entry)].name == name {
        return entries[Int(node.entry)].binding
      }
      place = Self.bit(depth, of: hash) ? node.right : node.left
      depth += 1
    }
    return nil
  }

  func names(from root: Int32) -> [String] {
    var result: [String] = []
    var waiting = [root]
    while let place = waiting.popLast() {
      guard place >= 0 else { continue }
      let node = nodes[Int(place)]
      if entries[Int(node.entry)].binding != nil { result.append(entries[Int(node.entry)].name) }
      waiting += [node.left, node.right]
    }
    return result
  }

  /// Past the hash's bits those with the same hash stand in one row.
  private static func bit(_ depth: Int, of hash: Int) -> Bool { depth < Int.bitWidth && hash >> depth & 1 != 0 }
}
