/// Up to sixteen parts of a directory, pages or nodes of pages, side by side behind one header. Versions share it; it is
/// written only by who passes the stamp that it carries.
final class DirectoryNode<Child: AnyObject>: ManagedBuffer<DirectoryNodeHeader, Child> {
  static var capacity: Int { 16 }

  static func make(_ first: Child, stamp: UInt64) -> DirectoryNode {
    let node = make(stamp: stamp)
    node.append(first)
    return node
  }

  private static func make(stamp: UInt64) -> DirectoryNode {
    // Safe because `create` makes an object of the class that it is called on.
    unsafeDowncast(
      create(minimumCapacity: capacity) { _ in DirectoryNodeHeader(stamp: stamp, count: 0) }, to: DirectoryNode.self)
  }

  deinit {
    withUnsafeMutablePointers { header, children in
      UnsafeBufferPointer(start: children, count: header.pointee.count).touchHeaders()
      children.deinitialize(count: header.pointee.count)
    }
  }

  var stamp: UInt64 { header.stamp }

  /// One of the parts that are there.
  @inline(__always)
  subscript(_ index: Int) -> Child {
    get { withUnsafeMutablePointerToElements { $0[index] } }
    set { withUnsafeMutablePointerToElements { $0[index] = newValue } }
  }

  /// Precondition: there are fewer than ``capacity``.
  func append(_ child: Child) {
    withUnsafeMutablePointers { header, children in
      precondition(header.pointee.count < Self.capacity, "the node is full")
      (children + header.pointee.count).initialize(to: child)
      header.pointee.count += 1
    }
  }

  func copy(stamp: UInt64) -> DirectoryNode {
    let copy = Self.make(stamp: stamp)
    withUnsafeMutablePointers { header, children in
      let count = header.pointee.count
      UnsafeBufferPointer(start: children, count: count).touchHeaders()
      // Safe because both have room for ``capacity`` parts.
      copy.withUnsafeMutablePointers { other, copies in
        copies.initialize(from: children, count: count)
        other.pointee.count = count
      }
    }
    return copy
  }
}

struct DirectoryNodeHeader {
  let stamp: UInt64
  var count: Int
}

extension UnsafeBufferPointer where Element: AnyObject {
  /// Reads the headers of the objects, none of which waits for another; counting references, as a copy of them does,
  /// waits for each. Most of what a change of one row costs are such misses.
  @inline(__always)
  func touchHeaders() {
    guard let baseAddress else { return }
    // Safe because an element is the address of an object, which its owner holds, and whose header has a word.
    let addresses = UnsafeRawPointer(baseAddress).assumingMemoryBound(to: UnsafeRawPointer.self)
    var touched: UInt = 0
    for index in 0..<count { touched |= addresses[index].load(as: UInt.self) }
    // Why the test, which cannot fail: what nobody looks at is not read.
    precondition(isEmpty || touched != 0, "objects have headers")
  }
}

extension UnsafeBufferPointer {
  /// The same, for elements that may be nil.
  @inline(__always)
  func touchHeaders<Object: AnyObject>() where Element == Object? {
    guard let baseAddress else { return }
    // Safe because nil is address 0, and otherwise as above.
    let addresses = UnsafeRawPointer(baseAddress).assumingMemoryBound(to: UnsafeRawPointer?.self)
    var touched: UInt = 1
    for index in 0..<count { if let address = addresses[index] { touched |= address.load(as: UInt.self) } }
    precondition(touched != 0, "objects have headers")
  }
}
