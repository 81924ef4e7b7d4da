import GQLExecutor

/// Intervals of numbers, in which those that hold a number are found: a treap in the order of lower bounds, of which each
/// node has the greatest upper bound below it.
///
/// Complexity: O(log *n*) to insert and remove, O(log *n*) for each interval that is found.
struct IntervalTree {
  private struct Node {
    var lower: UInt64
    var upper: UInt64
    /// The greatest upper bound of the node and of those below it.
    var reach: UInt64
    var columns: ColumnMask
    var question: Int32
    var priority: UInt32
    var left: Int32 = -1
    var right: Int32 = -1
  }
  private var nodes: ContiguousArray<Node> = []
  private var free: ContiguousArray<Int32> = []
  private var root: Int32 = -1
  private var random: UInt32 = 0x9E37_79B9

  var isEmpty: Bool { root < 0 }

  /// Adds an interval; returns its number.
  mutating func insert(_ bounds: ClosedRange<UInt64>, _ columns: ColumnMask, of question: Int32) -> Int32 {
    random = random &* 1_664_525 &+ 1_013_904_223
    let node = Node(
      lower: bounds.lowerBound, upper: bounds.upperBound, reach: bounds.upperBound, columns: columns,
      question: question, priority: random)
    let place: Int32
    if let used = free.popLast() {
      place = used
      nodes[Int(place)] = node
    } else {
      place = Int32(truncatingIfNeeded: nodes.count)
      nodes.append(node)
    }
    let (below, above) = split(root, before: place)
    root = join(join(below, place), above)
    return place
  }

  mutating func remove(_ place: Int32) {
    let (below, rest) = split(root, before: place)
    // What is left begins with the node itself.
    root = join(below, withoutFirst(rest))
    free.append(place)
  }

  /// Calls with the question and the columns of each interval that holds a number.
  func find(_ number: UInt64, _ body: (Int32, ColumnMask) -> Void) { find(root, number, body) }

  private func find(_ place: Int32, _ number: UInt64, _ body: (Int32, ColumnMask) -> Void) {
    var next = place
    while next >= 0 {
      let node = nodes[Int(next)]
      if node.reach < number { return }
      find(node.left, number, body)
      if node.lower > number { return }
      if node.upper >= number { body(node.question, node.columns) }
      next = node.right
    }
  }

  /// The order of nodes: by lower bounds, and of equal ones by number.
  private func isBefore(_ left: Int32, _ right: Int32) -> Bool {
    let (one, other) = (nodes[Int(left)].lower, nodes[Int(right)].lower)
    return one == other ? left < right : one < other
  }

  /// Divides a tree into the nodes before one, and that one with those after it.
  private mutating func split(_ tree: Int32, before place: Int32) -> (Int32, Int32) {
    if tree < 0 { return (-1, -1) }
    if isBefore(tree, place) {
      let (below, above) = split(nodes[Int(tree)].right, before: place)
      nodes[Int(tree)].right = below
      update(tree)
      return (tree, above)
    }
    let (below, above) = split(nodes[Int(tree)].left, before: place)
    nodes[Int(tree)].left = above
    update(tree)
    return (below, tree)
  }

  private mutating func join(_ left: Int32, _ right: Int32) -> Int32 {
    if left < 0 { return right }
    if right < 0 { return left }
    if nodes[Int(left)].priority > nodes[Int(right)].priority {
      nodes[Int(left)].right = join(nodes[Int(left)].right, right)
      update(left)
      return left
    }
    nodes[Int(right)].left = join(left, nodes[Int(right)].left)
    update(right)
    return right
  }

  private mutating func withoutFirst(_ tree: Int32) -> Int32 {
    if tree < 0 { return -1 }
    if nodes[Int(tree)].left < 0 { return nodes[Int(tree)].right }
    nodes[Int(tree)].left = withoutFirst(nodes[Int(tree)].left)
    update(tree)
    return tree
  }

  private mutating func update(_ place: Int32) {
    let node = nodes[Int(place)]
    var reach = node.upper
    if node.left >= 0 { reach = max(reach, nodes[Int(node.left)].reach) }
    if node.right >= 0 { reach = max(reach, nodes[Int(node.right)].reach) }
    nodes[Int(place)].reach = reach
  }
}
