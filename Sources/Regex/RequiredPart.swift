import GQLBase

/// A text that a part of a pattern stands for.
struct RequiredText: Hashable {
  var bytes: [UInt8]
  /// Whether it stands for every text that folds to it.
  var isFolded: Bool

  init(_ bytes: [UInt8], isFolded: Bool) {
    self.bytes = bytes
    self.isFolded = isFolded
  }

  static let empty = RequiredText([], isFolded: false)

  /// Folding goes character by character, so the folded text is that of both folded.
  static func + (left: RequiredText, right: RequiredText) -> RequiredText {
    if left.bytes.isEmpty { return right }
    if right.bytes.isEmpty { return left }
    if left.isFolded == right.isFolded { return RequiredText(left.bytes + right.bytes, isFolded: left.isFolded) }
    return RequiredText(left.folded + right.folded, isFolded: true)
  }

  private var folded: [UInt8] {
    if isFolded { return bytes }
    var result: [UInt8] = []
    bytes.withUnsafeBufferPointer { CaseFolding.fold($0, into: &result) }
    return result
  }
}

/// What is known about a part of a pattern: the few texts that it stands for, or what these contain.
struct RequiredPart {
  /// All texts that it stands for; nil if they are not known.
  var exact: [RequiredText]?
  /// Where they are not.
  private var contained = TextRequirement.nothing

  /// More texts than these are not told one by one, nor are they if they are longer together.
  static let maximumTexts = 16
  static let maximumBytes = 2048

  init(exact: [RequiredText]) { self.exact = exact }
  init(containing requirement: TextRequirement) { contained = requirement }

  static let unknown = RequiredPart(containing: .nothing)
  /// What takes no room, such as an anchor.
  static let empty = RequiredPart(exact: [.empty])

  init(anyOf branches: [RequiredPart]) {
    if branches.count == 1 {
      self = branches[0]
      return
    }
    var texts: [RequiredText]? = []
    for branch in branches {
      guard let more = branch.exact else {
        texts = nil
        break
      }
      for text in more where texts?.contains(text) == false { texts?.append(text) }
      if let found = texts?.count, found > Self.maximumTexts {
        texts = nil
        break
      }
    }
    if let texts {
      exact = texts
    } else {
      contained = .any(of: branches.map(\.requirement))
    }
  }

  var requirement: TextRequirement {
    guard let exact else { return contained }
    return .any(of: exact.map { $0.bytes.isEmpty ? .nothing : .literal($0.bytes, isFolded: $0.isFolded) })
  }
}

/// Parts that follow one another.
struct RequiredSequence {
  struct Repetition {
    var minimum: Int
    /// Nil without end.
    var maximum: Int?
    static let once = Repetition(minimum: 1, maximum: 1)
  }

  /// The texts that end where the sequence has come to, since the last gap.
  private var current: [RequiredText] = [.empty]
  private var found: [TextRequirement] = []
  /// Whether the current texts are all of the sequence.
  private var isWhole = true

  mutating func append(_ part: RequiredPart, _ repetition: Repetition) {
    guard var exact = part.exact else {
      addGap()
      if repetition.minimum > 0 { found.append(part.requirement) }
      return
    }
    switch (repetition.minimum, repetition.maximum) {
    case (1, 1): append(exact)
    case (0, 1):
      if !exact.contains(.empty) { exact.append(.empty) }
      append(exact)
    case (0, _):
      if exact != [.empty] { addGap() }
    case (let count, let maximum):
      if count == maximum, count <= 4 {
        for _ in 0..<count { append(exact) }
        return
      }
      // The first of them follows what is before, and the last is followed by what comes.
      append(exact)
      addGap()
      current = exact
    }
  }

  private mutating func append(_ texts: [RequiredText]) {
    if current.count * texts.count <= RequiredPart.maximumTexts {
      var joined: [RequiredText] = []
      var bytes = 0
      for first in current {
        for second in texts {
          let text = first + second
          bytes += text.bytes.count
          if !joined.contains(text) { joined.append(text) }
        }
      }
      if bytes <= RequiredPart.maximumBytes {
        current = joined
        return
      }
    }
    addGap()
    current = texts
  }

  private mutating func addGap() {
    found.append(RequiredPart(exact: current).requirement)
    current = [.empty]
    isWhole = false
  }

  var part: RequiredPart {
    if isWhole { return RequiredPart(exact: current) }
    return RequiredPart(containing: .all(of: found + [RequiredPart(exact: current).requirement]))
  }
}
