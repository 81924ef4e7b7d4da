import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

#if canImport(Glibc)
  import Glibc

  /// The allocator's own word for the bytes of a block.
  @_silgen_name("malloc_usable_size")
  private func usableSize(_ block: UnsafeMutableRawPointer) -> Int
#endif

/// What the pages of indexes take, reckoned from the drawings of ``BTreeNode`` and ``HashPage``.
@Suite struct IndexMemoryTests {
  /// The addresses of 256 nodes, which stand in one group.
  private static let group = 256 * 8

  private struct Missing: Error {}

  private struct Fixture {
    let type: EntityTypeID
    let key: IndexID
    let value: IndexID?
    let snapshot: Snapshot

    /// An id, and a value that ascends with it and perhaps has a B-tree.
    init(rows: Int, hasTree: Bool = true, isBulk: Bool = false) throws {
      var builder = CatalogBuilder()
      type = builder.type("T", [("id", .int64, .int), ("value", .int64, .int)])
      key = builder.index(type, .hash, [0], unique: true, primary: true)
      value = hasTree ? builder.index(type, .btree, [1]) : nil
      let transaction = WriteTransaction(Snapshot.empty(builder.catalog))
      if isBulk { transaction.beginBulk() }
      for row in 0..<rows { _ = try transaction.insert(type, [.int(Int64(row)), .int(Int64(row) * 3)]) }
      if isBulk { try transaction.endBulk() }
      snapshot = transaction.commit()
    }

    var hash: HashIndex {
      get throws {
        guard case .hash(let index) = snapshot.tables[0].indexes[0] else { throw Missing() }
        return index
      }
    }

    var tree: BTree {
      get throws {
        guard case .btree(let index) = snapshot.tables[0].indexes[1] else { throw Missing() }
        return index
      }
    }
  }

  // MARK: - Nodes

  @Test(
    "a node has the bytes of the larger of its two kinds",
    arguments: [
      // Header, then 12 bytes for each entry of a leaf, or 20 for each of an inner node.
      (leaf: 4, inner: 4, bytes: 112), (168, 100, 2048), (168, 101, 2052), (169, 100, 2060), (3, 1, 68), (7, 5, 132),
    ])
  func nodes(leaf: Int, inner: Int, bytes: Int) throws {
    let fixture = try Fixture(rows: 1)
    let tree = BTree(
      layout: try fixture.tree.layout, isUnique: false, stamp: 7, leafCapacity: leaf, innerCapacity: inner)
    let leafNode = tree.node(tree.makeNode(level: 0))
    let innerNode = tree.node(tree.makeNode(level: 1))
    #expect(tree.directory.page(0).byteCount == bytes)
    #expect(tree.directory.page(1).byteCount == bytes)
    #expect(UnsafeRawPointer(leafNode.rows + leaf) - UnsafeRawPointer(leafNode.base) == 32 + 12 * leaf)
    #expect(UnsafeRawPointer(innerNode.children + inner) - UnsafeRawPointer(innerNode.base) == 32 + 20 * inner)
    #expect(tree.byteCount == 2 * bytes + Self.group)
  }

  @Test(
    "a tree has the bytes of its nodes",
    arguments: [
      // Full leaves where keys ascend, inner nodes full to seven eighths: 25 + 9 + 3 + 1 nodes, and 60 + 1.
      (rows: 100, leaf: 4, inner: 4, nodes: 38, bytes: 112), (10_000, 168, 100, 61, 2048), (168, 168, 100, 1, 2048),
      (169, 168, 100, 3, 2048),
    ])
  func trees(rows: Int, leaf: Int, inner: Int, nodes: Int, bytes: Int) throws {
    let fixture = try Fixture(rows: rows, isBulk: true)
    let known = try fixture.tree
    let tree = BTree(layout: known.layout, isUnique: false, stamp: 7, leafCapacity: leaf, innerCapacity: inner)
    let table = fixture.snapshot.tables[0]
    #expect(tree.build(IndexedRows(below: rows), columns: table.readers) == nil)
    #expect(tree.checkInvariants(table.readers))
    #expect(tree.directory.count == nodes)
    #expect(tree.byteCount == nodes * bytes + Self.group)
    // A version that shares all nodes holds as much, and so does one with a node of its own.
    let copy = BTree(copying: tree, stamp: 8)
    #expect(copy.byteCount == tree.byteCount)
    _ = copy.writableNode(0)
    #expect(copy.byteCount == tree.byteCount)
  }

  // MARK: - Pages

  @Test(
    "a hash index has the bytes of its slots",
    arguments: [
      // Four fifths of the slots are taken at most.
      (rows: 0, slots: 8), (6, 8), (7, 16), (12, 16), (13, 32), (25, 32), (26, 64), (102, 128), (103, 256), (819, 1024),
    ])
  func pages(rows: Int, slots: Int) throws {
    let index = try Fixture(rows: rows).hash
    #expect(index.distinctKeys == rows)
    #expect(index.pages.count == 1)
    #expect(index.pages.page(0).byteCount == 64 + 8 * slots)
    // One address in the table, four for the pages of postings, of which there are none.
    #expect(index.byteCount == 64 + 8 * slots + Self.group + 8 + 4 * 8)
  }

  @Test("a hash index of many pages has the bytes of all", arguments: [820, 2_000, 5_000])
  func manyPages(rows: Int) throws {
    let fixture = try Fixture(rows: rows)
    let index = try fixture.hash
    let count = index.pages.count
    #expect(count >= rows / 819 + 1)
    for number in 0..<count { #expect(index.pages.page(number).byteCount == 64 + 8 * 1024) }
    let table = 8 << Int(index.depth)
    #expect(index.byteCount == count * (64 + 8 * 1024) + Self.group + table + 4 * 8)
    #expect(fixture.snapshot.check().isEmpty)
  }

  @Test("a snapshot has the bytes of its indexes", arguments: [0, 1, 100, 3_000])
  func snapshots(rows: Int) throws {
    let with = try Fixture(rows: rows)
    let without = try Fixture(rows: rows, hasTree: false)
    #expect(try with.snapshot.byteCount - without.snapshot.byteCount == with.tree.byteCount)
    #expect(try with.tree.byteCount == with.tree.directory.count * 112 + (with.tree.directory.count + 255) / 256 * 2048)
  }

  #if canImport(Glibc)
    @Test("memory of pages is as large as it was asked for, when it is used again, too")
    func pool() {
      for byteCount in [
        0, 1, 8, 63, 64, 65, 112, 128, 192, 193, 2048, 2049, 8256, 8384, 17_000, 17_407, 17_409, 40_000,
      ] {
        let first = PagePool.allocate(byteCount: byteCount)
        #expect(usableSize(first) >= byteCount)
        #expect(UInt(bitPattern: first) % 64 == 0)
        memset(first, 0xA5, byteCount)
        PagePool.deallocate(first, byteCount: byteCount)
        // Smaller by some cache lines: what is kept of the larger one must not come for it, nor its own for the larger.
        let smaller = PagePool.allocate(byteCount: max(0, byteCount - 64))
        let again = PagePool.allocate(byteCount: byteCount)
        #expect(usableSize(again) >= byteCount)
        #expect(again != smaller)
        PagePool.deallocate(smaller, byteCount: max(0, byteCount - 64))
        PagePool.deallocate(again, byteCount: byteCount)
      }
    }
  #endif
}
