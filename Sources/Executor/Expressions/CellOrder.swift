#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Equality and order of the language among non-null values of one type, in the form of cells. Nulls are the caller's.
package enum CellOrder {
  /// Negative, zero or positive. Total for every type; what `orderBy` follows. Long JSON is compared as long as the
  /// execution goes on.
  package static func compare(
    _ left: Cell, _ right: Cell, _ type: ValueType, _ execution: Execution? = nil
  ) -> Int {
    switch type {
    case .scalar(let scalar):
      switch scalar {
      case .int, .dateTime, .date, .duration: return left.int < right.int ? -1 : left.int > right.int ? 1 : 0
      case .boolean: return left.low < right.low ? -1 : left.low > right.low ? 1 : 0
      case .float: return left.double < right.double ? -1 : left.double > right.double ? 1 : 0
      case .decimal: return compareExactly(left.decimal, right.decimal)
      case .id: return compareIDs(left, right)
      case .json: return JSONOrder.compare(left, right, execution)
      case .string, .uuid, .bytes, .cursor: return compareTexts(left, right)
      }
    case .enumeration, .entity, .embedded: return left.low < right.low ? -1 : left.low > right.low ? 1 : 0
    case .list(let element): return compareLists(left, right, element, execution)
    case .null: return 0
    }
  }

  /// As `==` has it.
  package static func isEqual(
    _ left: Cell, _ right: Cell, _ type: ValueType, _ execution: Execution? = nil
  ) -> Bool {
    switch type {
    case .scalar(.string), .scalar(.id), .scalar(.uuid), .scalar(.bytes), .scalar(.cursor): isEqualText(left, right)
    case .scalar(.json): JSONOrder.isEqual(left, right, execution)
    default: compare(left, right, type, execution) == 0
    }
  }

  /// Numbers of two types by exact value; false for all else.
  static func isEqualNumber(_ left: Cell, _ leftType: ValueType, _ right: Cell, _ rightType: ValueType) -> Bool {
    switch (leftType.scalar, rightType.scalar) {
    case (.int, .float): compareExactly(left.int, right.double) == 0
    case (.float, .int): compareExactly(right.int, left.double) == 0
    case (.int, .decimal): compareExactly(right.decimal, left.int) == 0
    case (.decimal, .int): compareExactly(left.decimal, right.int) == 0
    case (.float, .decimal): compareExactly(right.decimal, left.double) == 0
    case (.decimal, .float): compareExactly(left.decimal, right.double) == 0
    default: leftType == rightType && isEqual(left, right, leftType)
    }
  }

  // MARK: - Text

  @inline(__always)
  static func isEqualText(_ left: Cell, _ right: Cell) -> Bool {
    let a = TextView(left)
    let b = TextView(right)
    guard a.key0 == b.key0 else { return false }
    if a.word1 == b.word1 { return true }
    return a.count > 12 && memcmp(address(a), address(b), a.count) == 0
  }

  /// Precondition: the view is longer than 12 bytes.
  @inline(__always)
  private static func address(_ view: TextView) -> UnsafeRawPointer {
    // Safe because long views hold an address.
    UnsafeRawPointer(bitPattern: UInt(view.word1)).unsafelyUnwrapped
  }

  /// By bytes, a prefix first. The four bytes that every view holds decide most.
  @inline(__always)
  static func compareTexts(_ left: Cell, _ right: Cell) -> Int {
    let a = UInt32(truncatingIfNeeded: left.low >> 32).byteSwapped
    let b = UInt32(truncatingIfNeeded: right.low >> 32).byteSwapped
    if a != b { return a < b ? -1 : 1 }
    return compareBytes(left, right)
  }

  private static func compareBytes(_ left: Cell, _ right: Cell) -> Int {
    withUnsafeBytes(of: left) { left in
      withUnsafeBytes(of: right) { right in
        // Safe because cells are not empty.
        let a = TextView.bytes(at: left.baseAddress.unsafelyUnwrapped)
        let b = TextView.bytes(at: right.baseAddress.unsafelyUnwrapped)
        let order = memcmp(a.start, b.start, min(a.count, b.count))
        return order != 0 ? Int(order) : a.count - b.count
      }
    }
  }

  // MARK: - Ids

  /// Canonical decimal integers by value, before all others by bytes.
  static func compareIDs(_ left: Cell, _ right: Cell) -> Int {
    withUnsafeBytes(of: left) { leftBytes in
      withUnsafeBytes(of: right) { rightBytes in
        // Safe because cells are not empty.
        let a = TextView.bytes(at: leftBytes.baseAddress.unsafelyUnwrapped)
        let b = TextView.bytes(at: rightBytes.baseAddress.unsafelyUnwrapped)
        let isInteger = isInteger(a.start, a.count)
        guard isInteger == self.isInteger(b.start, b.count) else { return isInteger ? -1 : 1 }
        guard isInteger else { return compareTexts(left, right) }
        let isNegative = a.start.load(as: UInt8.self) == 0x2D
        guard isNegative == (b.start.load(as: UInt8.self) == 0x2D) else { return isNegative ? -1 : 1 }
        // Without leading zeros the longer of two numbers is the larger.
        let order = a.count != b.count ? a.count - b.count : Int(memcmp(a.start, b.start, a.count))
        return isNegative ? -order : order
      }
    }
  }

  /// `0`, or digits that do not begin with 0, perhaps behind a minus sign.
  static func isInteger(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
    guard count > 0 else { return false }
    let isNegative = start.load(as: UInt8.self) == 0x2D
    let first = isNegative ? 1 : 0
    guard count > first else { return false }
    let digit = start.load(fromByteOffset: first, as: UInt8.self)
    if digit == 0x30 { return count == 1 }
    for index in first..<count where start.load(fromByteOffset: index, as: UInt8.self) &- 0x30 >= 10 { return false }
    return true
  }

  // MARK: - Lists

  /// Element by element, nulls last, a prefix first.
  private static func compareLists(
    _ left: Cell, _ right: Cell, _ element: ValueType, _ execution: Execution?
  ) -> Int {
    let a = ListRun(left, element)
    let b = ListRun(right, element)
    for index in 0..<min(a.count, b.count) {
      switch (a.isNull(index), b.isNull(index)) {
      case (true, true): continue
      case (true, false): return 1
      case (false, true): return -1
      case (false, false):
        let order = compare(a.cell(index), b.cell(index), element, execution)
        if order != 0 { return order }
      }
    }
    return a.count - b.count
  }

  // MARK: - Images

  /// Order-preserving images, one for each position: of two values in a list ordered by this term the one with the
  /// smaller image stands first.
  ///
  /// Equal images decide nothing, unless the result is true for all batches that are sorted together: then they mean
  /// equal values.
  package static func images(
    _ vector: Vector, count: Int, type: ValueType, descending: Bool, nullsFirst: Bool,
    into images: UnsafeMutablePointer<UInt64>
  ) -> Bool {
    let null: UInt64 = nullsFirst ? 0 : .max
    let flip: UInt64 = descending ? .max : 0
    var isExact = true
    switch vector.kind {
    case .truth:
      for index in 0..<count {
        let truth = vector.truths[index]
        images[index] = truth == 1 ? null : UInt64(truth + 1) ^ flip
      }
    case .rows:
      for index in 0..<count {
        let row = vector.rows[index]
        images[index] = row == PageLayout.noRow ? null : UInt64(row &+ 1) ^ flip
      }
    case .word:
      for index in 0..<count {
        let image = (UInt64(bitPattern: vector.words[index]) ^ 1 << 63) ^ flip
        let isNull = vector.validity[index] == 0
        if !isNull, image == null { isExact = false }
        images[index] = isNull ? null : image
      }
    case .double:
      for index in 0..<count {
        let image = self.image(vector.doubles[index]) ^ flip
        images[index] = vector.validity[index] == 0 ? null : image
      }
    case .wide:
      switch type {
      case .scalar(.string), .scalar(.uuid), .scalar(.bytes), .scalar(.cursor):
        for index in 0..<count {
          // The cell of a null has no meaning, nor has the address in it.
          guard vector.validity[index] != 0 else {
            images[index] = null
            continue
          }
          let (image, whole) = self.image(text: vector.cells[index])
          if !whole || image ^ flip == null { isExact = false }
          images[index] = image ^ flip
        }
      case .scalar(.id):
        for index in 0..<count {
          // The cell of a null has no meaning, nor has the address in it.
          guard vector.validity[index] != 0 else {
            images[index] = null
            continue
          }
          let (image, whole) = self.image(id: vector.cells[index])
          if !whole || image ^ flip == null { isExact = false }
          images[index] = image ^ flip
        }
      case .scalar(.decimal):
        // Rounding to a double keeps the order, but not all differences.
        isExact = false
        for index in 0..<count {
          images[index] =
            vector.validity[index] == 0 ? null : self.image(vector.cells[index].decimal.doubleValue) ^ flip
        }
      default:
        isExact = false
        for index in 0..<count {
          images[index] = vector.validity[index] == 0 ? null : nullsFirst ? 1 : 0
        }
      }
    }
    return isExact
  }

  /// Zeros of both signs are one value.
  private static func image(_ value: Double) -> UInt64 {
    let bits = (value == 0 ? 0 : value).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  /// The first eight bytes; whole if the image tells every text of at most seven bytes without zeros from all others.
  private static func image(text cell: Cell) -> (UInt64, isWhole: Bool) {
    var word: UInt64
    let count = TextView(cell).count
    if count <= 12 {
      word = cell.low >> 32 | cell.high << 32
    } else {
      // Safe because long views hold an address.
      word = UnsafeRawPointer(bitPattern: UInt(cell.high)).unsafelyUnwrapped.loadUnaligned(as: UInt64.self)
    }
    word = word.byteSwapped
    guard count <= 7 else { return (word, false) }
    let used = ~UInt64(0) << UInt64(64 - 8 * max(count, 1))
    let hasZero =
      count > 0
      && ((word & used | ~used) &- 0x0101_0101_0101_0101) & ~(word & used | ~used) & 0x8080_8080_8080_8080 != 0
    return (word, !hasZero)
  }

  /// Integers that fit 62 bits by value; then what is larger; then other texts by their first seven bytes.
  private static func image(id cell: Cell) -> (UInt64, isWhole: Bool) {
    withUnsafeBytes(of: cell) { bytes in
      // Safe because cells are not empty.
      let text = TextView.bytes(at: bytes.baseAddress.unsafelyUnwrapped)
      guard isInteger(text.start, text.count) else {
        let (image, _) = self.image(text: cell)
        return (3 << 62 | image >> 2, false)
      }
      let isNegative = text.start.load(as: UInt8.self) == 0x2D
      guard text.count <= 18 else { return (isNegative ? 0 : 3 << 62 - 1, false) }
      var value: Int64 = 0
      for index in (isNegative ? 1 : 0)..<text.count {
        value = value &* 10 &+ Int64(text.start.load(fromByteOffset: index, as: UInt8.self) &- 0x30)
      }
      // Below 10¹⁸ in magnitude, so the sum is positive and below 3 × 2⁶².
      return (UInt64(bitPattern: (isNegative ? 0 &- value : value) &+ 1 << 61), true)
    }
  }
}
