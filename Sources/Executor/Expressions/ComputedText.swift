import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// A text that is put together from parts: it ends where it would be longer than a computed text may be, and the limits
/// of the run are looked at on the way. What is thrown has no place.
struct ComputedText: ~Copyable {
  private(set) var buffer = ByteBuffer()
  private unowned(unsafe) let execution: Execution
  private let catalog: Catalog
  private var allowance = 0
  /// Longer texts are escaped in parts of so many bytes.
  private static var part: Int { 1 << 14 }
  /// Bytes of the buffer that are kept for the next text.
  private static var kept: Int { 1 << 16 }

  init(_ execution: Execution, _ catalog: Catalog) {
    self.execution = execution
    self.catalog = catalog
    begin()
  }

  /// Starts a text, or starts another one.
  mutating func begin() {
    buffer.removeAll(keeping: Self.kept)
    allowance = execution.textAllowance
  }

  /// Throws if so many bytes more are too many.
  @inline(__always)
  private func reserve(_ bytes: Int) throws(RuntimeProblem) {
    if bytes > allowance &- buffer.count { try execution.reserveText(buffer.count + bytes) }
  }

  mutating func append(_ byte: UInt8) { buffer.append(byte) }

  @inline(__always)
  mutating func append(_ start: UnsafeRawPointer, _ count: Int) throws(RuntimeProblem) {
    try reserve(count)
    try execution.charge(count &+ 8)
    buffer.append(start, count)
  }

  // MARK: - JSON

  /// A member's name and its colon.
  mutating func append(name: Text) throws(RuntimeProblem) {
    buffer.append(json: name)
    buffer.append(0x3A)
    try reserve(0)
  }

  /// The JSON of a value, `null` where there is none.
  mutating func append(_ vector: Vector, _ position: Int, type: ValueType) throws(RuntimeProblem) {
    if vector.isNull(position) {
      buffer.append("null")
    } else {
      try append(vector.cell(position), type: type)
    }
  }

  mutating func append(_ cell: Cell, type: ValueType) throws(RuntimeProblem) {
    let before = buffer.count
    switch type {
    case .list(let element):
      let run = ListRun(cell, element)
      buffer.append(0x5B)
      for index in 0..<run.count {
        if index > 0 { buffer.append(0x2C) }
        if run.isNull(index) {
          buffer.append("null")
          try reserve(0)
          try execution.charge(8)
        } else {
          try append(run.cell(index), type: element)
        }
      }
      buffer.append(0x5D)
      return try reserve(0)
    case .scalar(let scalar) where TextView(cell).count > Self.part && scalar.isText:
      try appendLong(TextView(cell), scalar)
    default: write(cell, type: type, catalog: catalog, into: &buffer)
    }
    try reserve(0)
    try execution.charge(buffer.count &- before &+ 8)
  }

  private mutating func appendLong(_ view: TextView, _ scalar: ScalarType) throws(RuntimeProblem) {
    // Safe because long views hold an address.
    let start = UnsafeRawPointer(bitPattern: UInt(view.word1)).unsafelyUnwrapped
    let count = view.count
    switch scalar {
    case .json: try append(start, count)
    case .id where view.isNumber: try append(start, count)
    case .bytes:
      try reserve(count / 3 * 4)
      buffer.append(0x22)
      try execution.encode(base64: UnsafeRawBufferPointer(start: start, count: count), into: &buffer)
      buffer.append(0x22)
    default:
      try reserve(count)
      buffer.append(0x22)
      var place = 0
      while place < count {
        let size = min(Self.part, count - place)
        try reserve(size)
        try execution.charge(size)
        buffer.appendEscaping(start + place, size)
        place += size
      }
      buffer.append(0x22)
    }
  }

  // MARK: - The text

  /// The text as a cell that lives until the run's scratch memory is released.
  func finish(flags: UInt64 = 0) throws(RuntimeProblem) -> Cell {
    let count = buffer.count
    try execution.reserveText(count)
    if count <= TextView.inlineCapacity { return TextView(buffer.start, count: count, flags: flags).cell }
    let copy = execution.scratch.allocate(count)
    copy.copyMemory(from: buffer.start, byteCount: count)
    return TextView(copy, count: count, flags: flags).cell
  }
}

extension ScalarType {
  /// Whether the cell is a view of bytes.
  fileprivate var isText: Bool {
    switch self {
    case .string, .id, .uuid, .bytes, .json, .cursor: true
    case .int, .float, .decimal, .boolean, .dateTime, .date, .duration: false
    }
  }
}
