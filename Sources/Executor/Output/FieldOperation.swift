import GQLBase
import GQLCatalog
import GQLStore

/// One response key, flat: what to write, from where, behind which bytes.
struct FieldOperation: BitwiseCopyable {
  enum Kind: UInt8 {
    /// The prefix holds the value, too.
    case fixed
    case int, float, boolean, code, text, id, dateTime, date
    /// Any other column, by the general writer.
    case cell
    /// A vector of a group's program.
    case computed
    /// An object, or null: a presence column, and the operations up to `end`.
    case embedded
    /// The same, where presence is computed.
    case embeddedComputed
    case one, many
    /// What the schema is; at the root only.
    case introspection
    /// Fields of the member itself where a computed truth is true: the operations up to `end`.
    case inlined
    /// The last operation of a recursive selection: its own members again.
    case recursion
    /// The meta fields `_depth`, `_cycle`, `_cursor`.
    case depth, cycle, cursor
  }
  var kind: Kind
  /// Slot of the condition, or -1.
  var condition: Int32 = -1
  /// Reader slot of a column.
  var reader: Int32 = -1
  /// `,"key":`, in texts with the opening quote behind it. At least 16 bytes may be read.
  var prefix: UnsafeRawPointer
  var prefixCount: Int32
  /// The type's number in the selection's types; the enum's names; the child selection.
  var index: Int32 = 0
  /// Behind the last operation of an embedded object.
  var end: Int32 = 0
  var group: Int32 = -1
  var vector: Int32 = 0
  /// Of a computed value.
  var form = Kind.cell
  /// Nothing is written of a null, not even the key.
  var omitsNull = false
}

/// Bytes that live as long as the executable.
///
/// Unchecked because it is filled while the executable is made, by one thread, and only read afterwards.
final class ByteBlock: @unchecked Sendable {
  private var blocks: [UnsafeMutableRawPointer] = []
  /// Holds the free bytes of the newest block of short texts.
  private var free = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private static let blockBytes = 512

  deinit { for block in blocks { block.deallocate() } }

  /// A copy; at least 16 bytes, and as many as there are behind it, may be read.
  func store(_ bytes: [UInt8]) -> UnsafeRawPointer {
    let room = room(bytes: bytes.count + 16)
    bytes.withUnsafeBytes { source in
      if let start = source.baseAddress { room.copyMemory(from: start, byteCount: source.count) }
    }
    return UnsafeRawPointer(room)
  }

  /// Zeroed bytes: of a block that short texts share, or of one of their own.
  private func room(bytes count: Int) -> UnsafeMutableRawPointer {
    if let start = free.baseAddress, free.count >= count {
      free = UnsafeMutableRawBufferPointer(rebasing: free[count...])
      return start
    }
    let size = max(count, Self.blockBytes)
    let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    block.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    blocks.append(block)
    if size > count { free = UnsafeMutableRawBufferPointer(start: block + count, count: size - count) }
    return block
  }

  func room<T: BitwiseCopyable>(for values: [T]) -> UnsafePointer<T> {
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: max(values.count, 1) * MemoryLayout<T>.stride, alignment: 16)
    let typed = block.bindMemory(to: T.self, capacity: max(values.count, 1))
    values.withUnsafeBufferPointer { source in
      if let start = source.baseAddress { typed.initialize(from: start, count: source.count) }
    }
    blocks.append(block)
    return UnsafePointer(typed)
  }
}

/// The quoted names of an enum's values.
struct EnumNames: BitwiseCopyable {
  struct Name: BitwiseCopyable {
    var start: UnsafeRawPointer
    var count: Int
  }
  var names: UnsafePointer<Name>
  var count: Int
}
