import GQLBase

/// Tests texts against a requirement; keeps room to fold them in.
package struct RequirementTest {
  /// A literal in `bytes`.
  private struct Needle {
    var start: Int
    var count: Int
    var isFolded: Bool
  }

  private let requirement: TextRequirement
  /// One of each group must be found: groups end at `ends`. Nil where the requirement is nested deeper.
  private var needles: [Needle] = []
  private var ends: [Int]? = []
  private var bytes: [UInt8] = []
  /// Room for the folded text as long as it is ASCII; all of it is there from the beginning.
  private var room: [UInt8] = []
  /// The folded text otherwise: as long as it is, so that the next one takes its memory.
  private var folded: [UInt8] = []
  private var isInRoom = true
  /// The length of the folded text, −1 before there is one.
  private var foldedCount = -1

  package init(_ requirement: TextRequirement) {
    self.requirement = requirement
    let groups: [TextRequirement]
    switch requirement {
    case .nothing: groups = []
    case .all(let parts): groups = parts
    default: groups = [requirement]
    }
    for group in groups {
      let choices: [TextRequirement]
      if case .any(let parts) = group { choices = parts } else { choices = [group] }
      for choice in choices {
        guard case .literal(let literal, let isFolded) = choice else {
          ends = nil
          return
        }
        needles.append(Needle(start: bytes.count, count: literal.count, isFolded: isFolded))
        bytes += literal
      }
      ends?.append(needles.count)
    }
  }

  package mutating func isMet(by text: UnsafeRawBufferPointer) -> Bool {
    foldedCount = -1
    guard let ends else { return isMet(requirement, text) }
    var index = 0
    for end in ends {
      var isFound = false
      while index < end {
        if !isFound, contains(needles[index], text) { isFound = true }
        index &+= 1
      }
      if !isFound { return false }
    }
    return true
  }

  private mutating func contains(_ needle: Needle, _ text: UnsafeRawBufferPointer) -> Bool {
    if needle.isFolded { fold(text) }
    return bytes.withUnsafeBytes { bytes in
      // Safe because needles lie within the bytes.
      let literal = UnsafeRawBufferPointer(rebasing: bytes[needle.start..<needle.start &+ needle.count])
      if !needle.isFolded { return ByteSearch.contains(text, literal) }
      return foldedContains(literal)
    }
  }

  private mutating func isMet(_ requirement: TextRequirement, _ text: UnsafeRawBufferPointer) -> Bool {
    switch requirement {
    case .nothing: return true
    case .literal(let bytes, isFolded: false): return bytes.withUnsafeBytes { ByteSearch.contains(text, $0) }
    case .literal(let bytes, isFolded: true):
      fold(text)
      return bytes.withUnsafeBytes { foldedContains($0) }
    case .all(let parts):
      for part in parts where !isMet(part, text) { return false }
      return true
    case .any(let parts):
      for part in parts where isMet(part, text) { return true }
      return false
    }
  }

  /// Folds the text, unless it is folded already.
  private mutating func fold(_ text: UnsafeRawBufferPointer) {
    if foldedCount >= 0 { return }
    let count = text.count
    if room.count < count + 8 { room = [UInt8](repeating: 0, count: max(count + 8, room.count * 2)) }
    var isASCII = true
    room.withUnsafeMutableBytes { target in
      var index = 0
      while count &- index >= 8 {
        let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if word & 0x8080_8080_8080_8080 != 0 { break }
        // The high bit of each byte tells whether it is at least A, and whether it is beyond Z.
        let capitals = (word &+ 0x3F3F_3F3F_3F3F_3F3F) & ~(word &+ 0x2525_2525_2525_2525) & 0x8080_8080_8080_8080
        target.storeBytes(of: word | capitals &>> 2, toByteOffset: index, as: UInt64.self)
        index &+= 8
      }
      while index < count, text[index] < 0x80 {
        target[index] = CaseFolding.foldASCII(text[index])
        index &+= 1
      }
      isASCII = index == count
    }
    foldedCount = count
    isInRoom = isASCII
    if isASCII { return }
    folded.removeAll(keepingCapacity: true)
    CaseFolding.fold(text.bindMemory(to: UInt8.self), into: &folded)
    foldedCount = folded.count
  }

  /// Whether the folded text holds a literal.
  private func foldedContains(_ literal: UnsafeRawBufferPointer) -> Bool {
    (isInRoom ? room : folded).withUnsafeBytes {
      ByteSearch.contains(UnsafeRawBufferPointer(rebasing: $0[..<foldedCount]), literal)
    }
  }
}
