/// The nodes of a B-tree, or the pages of a hash index, by number, see ``PageDirectory``; with two levels of addresses
/// too, because a tree has ten times as many nodes as a column has pages.
///
/// ```
/// tops ─▶ ┌───┬───┬─      ┌────────┬────────┬─
///         │ 0 │ 1 │ …  ─▶ │ node 0 │ node 1 │ …  256 addresses, the group's
///         └───┴───┴─      └────────┴────────┴─
/// ```
/// Copying a directory for a writer costs an address and a retain for 256 nodes; writing the first node of a group
/// costs 256 addresses and the retains of 16 segments, and of a segment those of 16 nodes.
final class NodeDirectory: @unchecked Sendable {
  private typealias Segment = DirectoryNode<Page>
  /// 16 segments and the addresses of their nodes, shared between versions.
  private final class Group: @unchecked Sendable {
    let segments: DirectoryNode<Segment>
    let addresses: UnsafeMutablePointer<UnsafeRawPointer?>
    let stamp: UInt64

    init(_ first: Page, stamp: UInt64) {
      segments = .make(.make(first, stamp: stamp), stamp: stamp)
      addresses = PagePool.allocate(UnsafeRawPointer?.self, capacity: NodeDirectory.groupNodes)
      addresses.initialize(repeating: nil, count: NodeDirectory.groupNodes)
      self.stamp = stamp
    }

    init(copying other: Group, stamp: UInt64) {
      segments = other.segments.copy(stamp: stamp)
      addresses = PagePool.allocate(UnsafeRawPointer?.self, capacity: NodeDirectory.groupNodes)
      addresses.initialize(from: other.addresses, count: NodeDirectory.groupNodes)
      self.stamp = stamp
    }

    deinit { PagePool.deallocate(addresses, capacity: NodeDirectory.groupNodes) }

    /// The segment of the node in `place`, which this group's stamp owns.
    func ownedSegment(_ place: Int) -> Segment {
      let number = place / Segment.capacity
      let segment = segments[number]
      if segment.stamp == stamp { return segment }
      let copy = segment.copy(stamp: stamp)
      segments[number] = copy
      return copy
    }
  }
  static let groupShift = 8
  static let groupNodes = 256
  static let groupMask = 255

  let stamp: UInt64
  @exclusivity(unchecked) private(set) var count: Int
  @exclusivity(unchecked) private var groups: [Group]
  @exclusivity(unchecked) private(set) var tops: UnsafeMutablePointer<UnsafePointer<UnsafeRawPointer?>>
  private var capacity: Int

  init(stamp: UInt64) {
    self.stamp = stamp
    count = 0
    groups = []
    capacity = 2
    tops = .allocate(capacity: capacity)
  }

  init(copying other: NodeDirectory, stamp: UInt64) {
    self.stamp = stamp
    count = other.count
    groups = other.groups
    capacity = other.groups.count + 1
    tops = .allocate(capacity: capacity)
    tops.initialize(from: other.tops, count: other.groups.count)
  }

  deinit { tops.deallocate() }

  /// The base of a node, which exists.
  @inline(__always)
  func base(_ index: Int) -> UnsafeRawPointer {
    // Safe because nodes below the count have addresses.
    tops[index >> Self.groupShift][index & Self.groupMask].unsafelyUnwrapped
  }

  /// Adds a node at the end. Only the writer with this directory's stamp may call it.
  func append(_ page: Page) {
    let number = count >> Self.groupShift
    let place = count & Self.groupMask
    if place == 0 {
      if number == capacity {
        let grown = UnsafeMutablePointer<UnsafePointer<UnsafeRawPointer?>>.allocate(capacity: capacity * 2)
        grown.initialize(from: tops, count: number)
        tops.deallocate()
        tops = grown
        capacity *= 2
      }
      let group = Group(page, stamp: stamp)
      groups.append(group)
      (tops + number).initialize(to: UnsafePointer(group.addresses))
      group.addresses[0] = UnsafeRawPointer(page.base)
    } else {
      let group = ownedGroup(number)
      if place % Segment.capacity == 0 {
        group.segments.append(.make(page, stamp: stamp))
      } else {
        group.ownedSegment(place).append(page)
      }
      group.addresses[place] = UnsafeRawPointer(page.base)
    }
    count += 1
  }

  /// The base of the node, which this directory's stamp owns: copied first if another version shares it.
  @inline(__always)
  func writableBase(_ index: Int) -> UnsafeMutableRawPointer {
    let base = base(index)
    if base.load(fromByteOffset: PageLayout.stampOffset, as: UInt64.self) == stamp {
      return UnsafeMutableRawPointer(mutating: base)
    }
    return copiedPage(index)
  }

  @inline(never)
  private func copiedPage(_ index: Int) -> UnsafeMutableRawPointer {
    let copy = Page(copying: page(index), stamp: stamp)
    replace(index, with: copy)
    return copy.base
  }

  /// Puts `page` in the place of node `index`.
  func replace(_ index: Int, with page: Page) {
    let place = index & Self.groupMask
    let group = ownedGroup(index >> Self.groupShift)
    group.ownedSegment(place)[place % Segment.capacity] = page
    group.addresses[place] = UnsafeRawPointer(page.base)
  }

  func page(_ index: Int) -> Page {
    let place = index & Self.groupMask
    return groups[index >> Self.groupShift].segments[place / Segment.capacity][place % Segment.capacity]
  }

  /// Bytes held, shared nodes included.
  var byteCount: Int {
    (0..<count).reduce(groups.count * Self.groupNodes * MemoryLayout<UnsafeRawPointer?>.stride) {
      $0 + page($1).byteCount
    }
  }

  private func ownedGroup(_ number: Int) -> Group {
    let group = groups[number]
    if group.stamp == stamp { return group }
    let copy = Group(copying: group, stamp: stamp)
    // Another version may share the array, too.
    groups.withUnsafeBufferPointer { $0.touchHeaders() }
    groups[number] = copy
    tops[number] = UnsafePointer(copy.addresses)
    return copy
  }
}
