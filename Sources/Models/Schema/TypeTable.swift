/// Mappings by Swift type: a table of addresses, because every read and every save asks it, and hashing an identifier as
/// a dictionary does costs more than the rest of finding one entity.
///
/// Unchecked because nothing changes after it was made.
struct TypeTable: @unchecked Sendable {
  private struct Slot {
    var key: ObjectIdentifier?
    var mapping: AnyTypeMapping?
  }
  private let slots: ContiguousArray<Slot>
  private let mask: Int

  init(_ mappings: [ObjectIdentifier: AnyTypeMapping]) {
    var capacity = 8
    // At most half full, so that there is an empty slot behind every chain.
    while capacity < mappings.count * 2 { capacity *= 2 }
    var slots = ContiguousArray(repeating: Slot(), count: capacity)
    for (key, mapping) in mappings {
      var place = Self.home(key) & (capacity - 1)
      while slots[place].key != nil { place = (place + 1) & (capacity - 1) }
      slots[place] = Slot(key: key, mapping: mapping)
    }
    self.slots = slots
    mask = capacity - 1
  }

  /// Descriptions of types lie at multiples of eight, near each other.
  @inline(__always)
  private static func home(_ key: ObjectIdentifier) -> Int {
    let bits = UInt(bitPattern: key)
    return Int(truncatingIfNeeded: bits >> 3 ^ bits >> 11)
  }

  @inline(__always)
  subscript(_ key: ObjectIdentifier) -> AnyTypeMapping? {
    var place = Self.home(key) & mask
    while let found = slots[place].key {
      if found == key { return slots[place].mapping }
      place = (place &+ 1) & mask
    }
    return nil
  }
}
