import GQLStore

/// Finds the numbers of short texts that came before without a hash of their bytes, or a branch for each.
///
/// Three words hold all of a text of at most 20 bytes: its length and first four bytes, the eight bytes behind these,
/// and the last eight. Each key has one place, and the first to come to it stays there; whoever finds another's words
/// there is looked up by its hash. So is everything after a few batches in which most keys were not found.
///
/// Its properties are not checked for exclusive access, as those of ``KeyTable``.
final class TextKeyNumbers {
  private static let bits = 13
  private static let longest = 20
  /// What is known stays in the nearer caches.
  private static let maximumKeys = 4096
  private static let maximumMisses = 4
  /// The bits of a view's first word that are its length.
  private static let lengthMask: UInt64 = 0x3FFF_FFFF
  private static let flagMask: UInt64 = 0xC000_0000

  private struct Words {
    var first: UInt64
    var second: UInt64
    var third: UInt64

    /// The words of the view at an address, which is read as the empty text if it is not valid.
    @inline(__always)
    init(at cell: UnsafePointer<Cell>, isValid: UInt64) {
      first = cell.pointee.low & ~TextKeyNumbers.flagMask & (0 &- isValid)
      let count = Int(truncatingIfNeeded: first & TextKeyNumbers.lengthMask)
      // The bytes of a short text lie in the view, followed by zeros.
      let own = UInt(bitPattern: cell) &+ 4
      let address = count <= TextView.inlineCapacity ? own : UInt(truncatingIfNeeded: cell.pointee.high)
      // Safe because neither a view in memory nor the bytes of a long text lie at zero.
      let start = UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped
      second = (start + 4).loadUnaligned(as: UInt64.self)
      third = (start + (max(count, TextView.inlineCapacity) &- 8)).loadUnaligned(as: UInt64.self)
    }

    @inline(__always)
    var place: Int {
      let sum =
        first &* 0x9E37_79B9_7F4A_7C15 &+ second &* 0xD6E8_FEB8_6659_FD93 &+ third &* 0xA076_1D64_78BD_642F
      return Int(truncatingIfNeeded: sum &>> UInt64(64 - TextKeyNumbers.bits))
    }
  }

  private struct Entry: BitwiseCopyable {
    var first: UInt64
    var second: UInt64
    var third: UInt64
    var number: UInt32
    var place: UInt32
  }

  /// The entry of each place; that of most is the first one, which no text equals.
  private let places = UnsafeMutablePointer<UInt16>.allocate(capacity: 1 << TextKeyNumbers.bits)
  @exclusivity(unchecked) private var entries = GroupMemory<Entry>()
  /// Positions of the last batch that were not found.
  let rest = UnsafeMutablePointer<UInt16>.allocate(capacity: ScopeRows.batchRows)
  @exclusivity(unchecked) private var misses = 0

  init() {
    places.initialize(repeating: 0, count: 1 << TextKeyNumbers.bits)
    entries.append(Entry(first: .max, second: .max, third: .max, number: 0, place: 0))
  }

  deinit {
    places.deallocate()
    rest.deallocate()
  }

  var byteCount: Int { 2 << TextKeyNumbers.bits + entries.byteCount }

  var isWorthwhile: Bool { misses < TextKeyNumbers.maximumMisses }

  func removeAll() {
    misses = 0
    let known = entries.base
    for index in 1..<entries.count { places[Int(known[index].place)] = 0 }
    entries.removeAll()
    entries.append(Entry(first: .max, second: .max, third: .max, number: 0, place: 0))
  }

  /// Puts the numbers of known keys into `ids`, and the positions of the others, nulls among them, into `rest`; returns
  /// how many the others are.
  func find(_ vector: Vector, _ size: Int, into ids: UnsafeMutablePointer<UInt32>) -> Int {
    let cells = UnsafePointer(vector.cells)
    let missed: Int
    if vector.allValid {
      missed = find(size, ids) { (Words(at: cells + $0, isValid: 1), 0) }
    } else {
      let validity = vector.validity
      missed = find(size, ids) { index in
        let isValid = UInt64(validity[index])
        return (Words(at: cells + index, isValid: isValid), isValid ^ 1)
      }
    }
    if missed &* 2 > size { misses += 1 }
    return missed
  }

  @inline(__always)
  private func find(
    _ size: Int, _ ids: UnsafeMutablePointer<UInt32>, _ key: (Int) -> (Words, isNull: UInt64)
  ) -> Int {
    let places = places
    let known = entries.base
    let rest = rest
    var missed = 0
    for index in 0..<size {
      let (words, isNull) = key(index)
      let entry = known + Int(places[words.place])
      let different =
        (entry.pointee.first ^ words.first) | (entry.pointee.second ^ words.second)
        | (entry.pointee.third ^ words.third) | isNull
      ids[index] = entry.pointee.number
      rest[missed] = UInt16(truncatingIfNeeded: index)
      missed &+= different == 0 ? 0 : 1
    }
    return missed
  }

  /// Notes a key's number, if it is short and its place is free.
  func learn(_ cell: UnsafePointer<Cell>, _ number: UInt32) {
    guard entries.count <= TextKeyNumbers.maximumKeys,
      cell.pointee.low & TextKeyNumbers.lengthMask <= TextKeyNumbers.longest
    else { return }
    let words = Words(at: cell, isValid: 1)
    let place = words.place
    guard places[place] == 0 else { return }
    places[place] = UInt16(truncatingIfNeeded: entries.count)
    entries.append(
      Entry(
        first: words.first, second: words.second, third: words.third, number: number,
        place: UInt32(truncatingIfNeeded: place)))
  }
}
