import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// Tests of signed words by arithmetic; the answer is the highest bit.
enum WordLanes {
  /// The sign of the difference, mended where it overflows.
  @inline(__always)
  static func less(_ a: SIMD8<UInt64>, _ b: SIMD8<UInt64>) -> SIMD8<UInt64> {
    let difference = a &- b
    return difference ^ ((a ^ b) & (difference ^ a))
  }

  @inline(__always)
  static func different(_ a: SIMD8<UInt64>, _ b: SIMD8<UInt64>) -> SIMD8<UInt64> {
    let bits = a ^ b
    return bits | (0 &- bits)
  }
}

/// Comparisons of lanes. The loops for numbers are plain, so that the compiler makes vectors of them.
enum CompareKernel {
  typealias Truths = UnsafeMutablePointer<UInt8>

  @inline(__always)
  static func compare<T: Comparable & BitwiseCopyable>(
    _ comparison: ComparisonOperator, _ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ count: Int, into out: Truths
  ) {
    switch comparison {
    case .equal: for index in 0..<count { out[index] = a[index] == b[index] ? 2 : 0 }
    case .notEqual: for index in 0..<count { out[index] = a[index] == b[index] ? 0 : 2 }
    case .less: for index in 0..<count { out[index] = a[index] < b[index] ? 2 : 0 }
    case .lessOrEqual: for index in 0..<count { out[index] = a[index] <= b[index] ? 2 : 0 }
    case .greater: for index in 0..<count { out[index] = a[index] > b[index] ? 2 : 0 }
    case .greaterOrEqual: for index in 0..<count { out[index] = a[index] >= b[index] ? 2 : 0 }
    }
  }

  @inline(__always)
  static func compare<T: Comparable & BitwiseCopyable>(
    _ comparison: ComparisonOperator, _ a: UnsafePointer<T>, constant b: T, _ count: Int, into out: Truths
  ) {
    switch comparison {
    case .equal: for index in 0..<count { out[index] = a[index] == b ? 2 : 0 }
    case .notEqual: for index in 0..<count { out[index] = a[index] == b ? 0 : 2 }
    case .less: for index in 0..<count { out[index] = a[index] < b ? 2 : 0 }
    case .lessOrEqual: for index in 0..<count { out[index] = a[index] <= b ? 2 : 0 }
    case .greater: for index in 0..<count { out[index] = a[index] > b ? 2 : 0 }
    case .greaterOrEqual: for index in 0..<count { out[index] = a[index] >= b ? 2 : 0 }
    }
  }

  static func words(_ comparison: ComparisonOperator, _ a: Vector, _ b: Vector, _ count: Int, into out: Truths) {
    // Every operator is `==`, `<` or `>`, perhaps negated.
    let isNegated = comparison == .notEqual || comparison == .greaterOrEqual || comparison == .lessOrEqual
    let flip: UInt8 = isNegated ? 2 : 0
    let left = UnsafePointer(a.words)
    let right = UnsafePointer(b.words)
    switch (comparison, b.isConstant) {
    case (.equal, true), (.notEqual, true):
      words(left, right, count, flip, into: out, isConstant: true) { WordLanes.different($0, $1) ^ .max }
    case (.equal, false), (.notEqual, false):
      words(left, right, count, flip, into: out, isConstant: false) { WordLanes.different($0, $1) ^ .max }
    case (.less, true), (.greaterOrEqual, true):
      words(left, right, count, flip, into: out, isConstant: true) { WordLanes.less($0, $1) }
    case (.less, false), (.greaterOrEqual, false):
      words(left, right, count, flip, into: out, isConstant: false) { WordLanes.less($0, $1) }
    case (.greater, true), (.lessOrEqual, true):
      words(left, right, count, flip, into: out, isConstant: true) { WordLanes.less($1, $0) }
    case (.greater, false), (.lessOrEqual, false):
      words(left, right, count, flip, into: out, isConstant: false) { WordLanes.less($1, $0) }
    }
  }

  /// `test` gives the answer in the highest bit of each lane: comparisons of 64 bits do not exist in baseline x86-64.
  @inline(__always)
  private static func words(
    _ a: UnsafePointer<Int64>, _ b: UnsafePointer<Int64>, _ count: Int, _ flip: UInt8, into out: Truths,
    isConstant: Bool, _ test: (SIMD8<UInt64>, SIMD8<UInt64>) -> SIMD8<UInt64>
  ) {
    let left = UnsafeRawPointer(a)
    let right = UnsafeRawPointer(b)
    let target = UnsafeMutableRawPointer(out)
    let constant = SIMD8<UInt64>(repeating: UInt64(bitPattern: b[0]))
    let flips = SIMD8<UInt8>(repeating: flip)
    var index = 0
    while index &+ 8 <= count {
      let x = (left + index &* 8).loadUnaligned(as: SIMD8<UInt64>.self)
      let y = isConstant ? constant : (right + index &* 8).loadUnaligned(as: SIMD8<UInt64>.self)
      let truths = SIMD8<UInt8>(truncatingIfNeeded: test(x, y) &>> 62) & 2 ^ flips
      (target + index).storeBytes(of: truths, as: SIMD8<UInt8>.self)
      index &+= 8
    }
    while index < count {
      let x = SIMD8<UInt64>(repeating: UInt64(bitPattern: a[index]))
      let y = isConstant ? constant : SIMD8<UInt64>(repeating: UInt64(bitPattern: b[index]))
      out[index] = UInt8(truncatingIfNeeded: test(x, y)[0] &>> 62) & 2 ^ flip
      index &+= 1
    }
  }

  /// How many of the words compare so with the constant.
  static func countWords(
    _ comparison: ComparisonOperator, _ a: UnsafePointer<Int64>, constant b: Int64, _ count: Int
  ) -> Int {
    switch comparison {
    case .equal: return countWords(a, b, count) { WordLanes.different($0, $1) ^ .max }
    case .notEqual: return countWords(a, b, count) { WordLanes.different($0, $1) }
    case .less: return countWords(a, b, count) { WordLanes.less($0, $1) }
    case .greaterOrEqual: return countWords(a, b, count) { WordLanes.less($0, $1) ^ .max }
    case .greater: return countWords(a, b, count) { WordLanes.less($1, $0) }
    case .lessOrEqual: return countWords(a, b, count) { WordLanes.less($1, $0) ^ .max }
    }
  }

  @inline(__always)
  private static func countWords(
    _ a: UnsafePointer<Int64>, _ b: Int64, _ count: Int,
    _ test: (SIMD8<UInt64>, SIMD8<UInt64>) -> SIMD8<UInt64>
  ) -> Int {
    let left = UnsafeRawPointer(a)
    let constant = SIMD8<UInt64>(repeating: UInt64(bitPattern: b))
    var counters = SIMD8<UInt64>(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      let x = (left + index &* 8).loadUnaligned(as: SIMD8<UInt64>.self)
      counters &+= test(x, constant) &>> 63
      index &+= 8
    }
    var total = counters.wrappedSum()
    while index < count {
      total &+= test(SIMD8<UInt64>(repeating: UInt64(bitPattern: a[index])), constant)[0] &>> 63
      index &+= 1
    }
    return Int(truncatingIfNeeded: total)
  }

  /// What a page's bounds say about a comparison of its cells with a constant; nil if that depends on the cell.
  static func decide(_ comparison: ComparisonOperator, _ page: PageSummary, _ constant: Int64) -> Bool? {
    let isBelow = page.highest < constant
    let isAbove = page.lowest > constant
    switch comparison {
    case .equal: return isBelow || isAbove ? false : page.lowest == page.highest ? true : nil
    case .notEqual: return isBelow || isAbove ? true : page.lowest == page.highest ? false : nil
    case .less: return isBelow ? true : page.lowest >= constant ? false : nil
    case .lessOrEqual: return page.highest <= constant ? true : isAbove ? false : nil
    case .greater: return isAbove ? true : page.highest <= constant ? false : nil
    case .greaterOrEqual: return page.lowest >= constant ? true : isBelow ? false : nil
    }
  }

  /// How many of a page's narrow cells compare so with the constant. Both are below 2¹⁵, so that the highest bit of a
  /// difference is its sign.
  static func countNarrow(_ comparison: ComparisonOperator, _ cells: UnsafePointer<UInt16>, _ constant: UInt16) -> Int {
    let raw = UnsafeRawPointer(cells)
    let other = SIMD16<UInt16>(repeating: constant)
    // Of each lane no more than the page's rows by 16, so that nothing overflows.
    var counters = SIMD16<UInt16>(repeating: 0)
    var offset = 0
    let end = PageLayout.rows &* 2
    let isNegated: Bool
    switch comparison {
    case .equal, .notEqual:
      while offset < end {
        let bits = (raw + offset).loadUnaligned(as: SIMD16<UInt16>.self) ^ other
        counters &+= (0 &- bits) &>> 15
        offset &+= 32
      }
      isNegated = comparison == .equal
    case .less, .greaterOrEqual:
      while offset < end {
        counters &+= ((raw + offset).loadUnaligned(as: SIMD16<UInt16>.self) &- other) &>> 15
        offset &+= 32
      }
      isNegated = comparison == .greaterOrEqual
    case .greater, .lessOrEqual:
      while offset < end {
        counters &+= (other &- (raw + offset).loadUnaligned(as: SIMD16<UInt16>.self)) &>> 15
        offset &+= 32
      }
      isNegated = comparison == .lessOrEqual
    }
    let count = Int(counters.wrappedSum())
    return isNegated ? PageLayout.rows &- count : count
  }

  static func doubles(_ comparison: ComparisonOperator, _ a: Vector, _ b: Vector, _ count: Int, into out: Truths) {
    if b.isConstant {
      compare(comparison, UnsafePointer(a.doubles), constant: b.doubles[0], count, into: out)
    } else {
      compare(comparison, UnsafePointer(a.doubles), UnsafePointer(b.doubles), count, into: out)
    }
  }

  static func rows(_ comparison: ComparisonOperator, _ a: Vector, _ b: Vector, _ count: Int, into out: Truths) {
    compare(comparison, UnsafePointer(a.rows), UnsafePointer(b.rows), count, into: out)
  }

  /// Truths compare as bytes; the caller masks the unknown.
  static func truths(_ comparison: ComparisonOperator, _ a: Vector, _ b: Vector, _ count: Int, into out: Truths) {
    compare(comparison, UnsafePointer(a.truths), UnsafePointer(b.truths), count, into: out)
    guard comparison != .equal, comparison != .notEqual else { return }
    for index in 0..<count {
      let unknown = (a.truths[index] | b.truths[index]) & 1
      out[index] = unknown == 1 ? 1 : out[index]
    }
  }

  /// What an order (negative, zero, positive) means for an operator.
  @inline(__always)
  static func holds(_ comparison: ComparisonOperator, _ order: Int) -> Bool {
    switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Wide values of one type.
  static func wide(
    _ comparison: ComparisonOperator, _ a: Vector, _ b: Vector, _ type: ValueType, _ count: Int, into out: Truths,
    _ execution: Execution
  ) {
    let isEquality = comparison == .equal || comparison == .notEqual
    switch type {
    case .scalar(.string), .scalar(.uuid), .scalar(.bytes), .scalar(.cursor):
      if isEquality { return textEquality(comparison, a, b, count, into: out) }
      let left = a.cells
      let right = b.cells
      let step = b.isConstant ? 0 : 1
      for index in 0..<count {
        // A null cell may hold anything.
        guard a.validity[index] & b.validity[index] == 1 else {
          out[index] = 1
          continue
        }
        out[index] = holds(comparison, CellOrder.compareTexts(left[index], right[index &* step])) ? 2 : 0
      }
    case .scalar(.id) where isEquality:
      textEquality(comparison, a, b, count, into: out)
    default:
      for index in 0..<count {
        guard a.validity[index] & b.validity[index] == 1 else {
          out[index] = 1
          continue
        }
        if isEquality {
          let isEqual = CellOrder.isEqual(a.cells[index], b.cells[index], type, execution)
          out[index] = isEqual == (comparison == .equal) ? 2 : 0
        } else if type == .json, !JSONOrder.isOrdered(a.cells[index], b.cells[index]) {
          out[index] = 1
        } else {
          out[index] = holds(comparison, CellOrder.compare(a.cells[index], b.cells[index], type, execution)) ? 2 : 0
        }
      }
    }
  }

  private static func textEquality(
    _ comparison: ComparisonOperator, _ a: Vector, _ b: Vector, _ count: Int, into out: Truths
  ) {
    let left = a.cells
    let isTrue: UInt8 = comparison == .equal ? 2 : 0
    let isFalse: UInt8 = 2 &- isTrue
    if b.isConstant, TextView(b.cells[0]).isInline {
      // Two words decide.
      let key0 = TextView(b.cells[0]).key0
      let word1 = b.cells[0].high
      for index in 0..<count {
        let different = ((left[index].low & ~0xC000_0000) ^ key0) | (left[index].high ^ word1)
        out[index] = different == 0 ? isTrue : isFalse
      }
      return
    }
    let right = b.cells
    for index in 0..<count {
      if a.validity[index] & b.validity[index] == 0 {
        out[index] = isFalse
      } else {
        out[index] = CellOrder.isEqualText(left[index], right[index]) ? isTrue : isFalse
      }
    }
  }

  /// Numbers of two types by exact value.
  static func mixed(_ comparison: ComparisonOperator, _ a: Vector, _ b: Vector, _ count: Int, into out: Truths) {
    for index in 0..<count {
      guard a.validity[index] & b.validity[index] == 1 else {
        out[index] = 1
        continue
      }
      out[index] = holds(comparison, exactOrder(a, b, index)) ? 2 : 0
    }
  }

  private static func exactOrder(_ a: Vector, _ b: Vector, _ index: Int) -> Int {
    switch (a.kind, b.kind) {
    case (.word, .double): compareExactly(a.words[index], b.doubles[index])
    case (.double, .word): -compareExactly(b.words[index], a.doubles[index])
    case (.word, .wide): -compareExactly(b.cells[index].decimal, a.words[index])
    case (.wide, .word): compareExactly(a.cells[index].decimal, b.words[index])
    case (.double, .wide): -compareExactly(b.cells[index].decimal, a.doubles[index])
    case (.wide, .double): compareExactly(a.cells[index].decimal, b.doubles[index])
    case (.wide, .wide): compareExactly(a.cells[index].decimal, b.cells[index].decimal)
    default: 0
    }
  }
}
