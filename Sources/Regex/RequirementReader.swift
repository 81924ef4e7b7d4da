import GQLBase

/// Finds what every match of a pattern contains, after Russ Cox: each part of a pattern either stands for a few texts,
/// which are then known exactly, or is known to contain some.
///
/// Reads only what it is sure about. Whatever else stands in a pattern gives ``TextRequirement/nothing``, which costs
/// speed and never a match.
struct RequirementReader {
  /// Something that it does not understand.
  struct Unsure: Error {}

  private let pattern: [UInt8]
  private var index = 0
  private var ignoresCase = false
  private var depth = 0

  /// Deeper patterns are left alone; PCRE2 itself allows 250.
  private static let maximumDepth = 100
  private static let maximumLiterals = 128

  private init(_ pattern: [UInt8]) { self.pattern = pattern }

  static func read(_ pattern: [UInt8]) -> TextRequirement {
    var reader = RequirementReader(pattern)
    guard let whole = try? reader.readAlternatives(), reader.index == pattern.count else { return .nothing }
    let requirement = whole.requirement
    return requirement.literalCount <= maximumLiterals ? requirement : .nothing
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    index + offset < pattern.count ? pattern[index + offset] : nil
  }

  private mutating func consume(_ byte: UInt8) -> Bool {
    guard self.byte() == byte else { return false }
    index += 1
    return true
  }

  // MARK: - Structure

  /// Up to the end or the closing parenthesis. Options that are set within hold to its end, in later branches too.
  private mutating func readAlternatives() throws(Unsure) -> RequiredPart {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw Unsure() }
    let outer = ignoresCase
    defer { ignoresCase = outer }
    var branches = [try readBranch()]
    while consume(UInt8(ascii: "|")) { branches.append(try readBranch()) }
    return RequiredPart(anyOf: branches)
  }

  private mutating func readBranch() throws(Unsure) -> RequiredPart {
    var sequence = RequiredSequence()
    while let byte = byte(), byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
      // Nil for a setting of options, which nothing can repeat.
      guard let part = try readAtom() else { continue }
      try sequence.append(part, readQuantifier())
    }
    return sequence.part
  }

  private mutating func readAtom() throws(Unsure) -> RequiredPart? {
    guard let byte = byte() else { throw Unsure() }
    index += 1
    switch byte {
    case UInt8(ascii: "("): return try readGroup()
    case UInt8(ascii: "["): return try readClass()
    case UInt8(ascii: "\\"): return try readEscape()
    case UInt8(ascii: "."): return .unknown
    case UInt8(ascii: "^"), UInt8(ascii: "$"): return .empty
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "{"): throw Unsure()
    default:
      index -= 1
      return literal(try readCharacter())
    }
  }

  /// One code point as it stands.
  private mutating func readCharacter() throws(Unsure) -> [UInt8] {
    guard let first = byte() else { throw Unsure() }
    let length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard length > 0, index + length <= pattern.count else { throw Unsure() }
    let character = Array(pattern[index..<index + length])
    guard character.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { throw Unsure() }
    index += length
    return character
  }

  private func literal(_ character: [UInt8]) -> RequiredPart {
    guard ignoresCase else { return RequiredPart(exact: [RequiredText(character, isFolded: false)]) }
    guard let folded = Self.folded(character) else { return .unknown }
    return RequiredPart(exact: [folded])
  }

  /// What the texts have in common, once folded, that PCRE2 takes for the character if case is ignored; nil if unsure.
  ///
  /// Letters that later versions of Unicode may pair with others are left alone: only old scripts count.
  private static func folded(_ character: [UInt8]) -> RequiredText? {
    if character.count == 1 {
      let byte = CaseFolding.foldASCII(character[0])
      return RequiredText([byte], isFolded: byte &- UInt8(ascii: "a") < 26)
    }
    guard let scalar = String(validating: character, as: UTF8.self)?.unicodeScalars.first else { return nil }
    switch scalar.value {
    case 0x80..<0x130, 0x132..<0x17F, 0x391..<0x3CA, 0x400..<0x460:
      var folded: [UInt8] = []
      character.withUnsafeBufferPointer { CaseFolding.fold($0, into: &folded) }
      return RequiredText(folded, isFolded: true)
    default: return nil
    }
  }

  // MARK: - Groups

  /// From behind `(` to behind its `)`.
  private mutating func readGroup() throws(Unsure) -> RequiredPart? {
    var isAssertion = false
    // Verbs, such as (*ACCEPT), can end a match early.
    if byte() == UInt8(ascii: "*") { throw Unsure() }
    if consume(UInt8(ascii: "?")) {
      guard let kind = byte() else { throw Unsure() }
      index += 1
      switch kind {
      case UInt8(ascii: ":"), UInt8(ascii: "|"), UInt8(ascii: ">"): break
      case UInt8(ascii: "="), UInt8(ascii: "!"): isAssertion = true
      case UInt8(ascii: "<"):
        if byte() == UInt8(ascii: "=") || byte() == UInt8(ascii: "!") {
          index += 1
          isAssertion = true
        } else {
          try skipName(to: UInt8(ascii: ">"))
        }
      case UInt8(ascii: "P"):
        guard consume(UInt8(ascii: "<")) else { throw Unsure() }
        try skipName(to: UInt8(ascii: ">"))
      case UInt8(ascii: "'"): try skipName(to: UInt8(ascii: "'"))
      default:
        index -= 1
        return try readOptions()
      }
    }
    let part = try readAlternatives()
    guard consume(UInt8(ascii: ")")) else { throw Unsure() }
    return isAssertion ? .empty : part
  }

  private mutating func skipName(to end: UInt8) throws(Unsure) {
    let start = index
    while let byte = byte(), byte != end {
      guard byte == UInt8(ascii: "_") || byte >= 0x80 || Self.isAlphanumeric(byte) else { throw Unsure() }
      index += 1
    }
    guard index > start, consume(end) else { throw Unsure() }
  }

  /// `i-m)`, which holds to the end of the group around it, or `i-m:…)`.
  private mutating func readOptions() throws(Unsure) -> RequiredPart? {
    var isOn = true
    var value = ignoresCase
    while let byte = byte() {
      index += 1
      switch byte {
      case UInt8(ascii: "i"): value = isOn
      case UInt8(ascii: "m"), UInt8(ascii: "s"), UInt8(ascii: "n"), UInt8(ascii: "J"), UInt8(ascii: "U"): break
      case UInt8(ascii: "-"): isOn = false
      case UInt8(ascii: ")"):
        ignoresCase = value
        return nil
      case UInt8(ascii: ":"):
        let outer = ignoresCase
        ignoresCase = value
        defer { ignoresCase = outer }
        let part = try readAlternatives()
        guard consume(UInt8(ascii: ")")) else { throw Unsure() }
        return part
      default: throw Unsure()
      }
    }
    throw Unsure()
  }

  // MARK: - Escapes and classes

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  /// What follows a backslash.
  private mutating func readEscape() throws(Unsure) -> RequiredPart {
    guard let byte = byte() else { throw Unsure() }
    if let character = try readEscapedCharacter() { return literal(character) }
    index += 1
    switch byte {
    case UInt8(ascii: "b"), UInt8(ascii: "B"), UInt8(ascii: "A"), UInt8(ascii: "Z"), UInt8(ascii: "z"),
      UInt8(ascii: "G"), UInt8(ascii: "K"):
      return .empty
    case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "w"), UInt8(ascii: "W"), UInt8(ascii: "s"),
      UInt8(ascii: "S"), UInt8(ascii: "h"), UInt8(ascii: "H"), UInt8(ascii: "v"), UInt8(ascii: "V"),
      UInt8(ascii: "R"), UInt8(ascii: "X"):
      return .unknown
    case UInt8(ascii: "N") where self.byte() != UInt8(ascii: "{"): return .unknown
    case UInt8(ascii: "p"), UInt8(ascii: "P"):
      try skipProperty()
      return .unknown
    default: throw Unsure()
    }
  }

  /// The character that an escape stands for, in a class too; nil, and nothing read, if it stands for something else.
  private mutating func readEscapedCharacter() throws(Unsure) -> [UInt8]? {
    guard let byte = byte() else { throw Unsure() }
    let character: [UInt8]
    switch byte {
    case UInt8(ascii: "n"): character = [0x0A]
    case UInt8(ascii: "t"): character = [0x09]
    case UInt8(ascii: "r"): character = [0x0D]
    case UInt8(ascii: "f"): character = [0x0C]
    case UInt8(ascii: "a"): character = [0x07]
    case UInt8(ascii: "e"): character = [0x1B]
    case UInt8(ascii: "x"):
      index += 1
      return try readHexadecimal()
    case 0x80...: throw Unsure()
    default:
      if Self.isAlphanumeric(byte) { return nil }
      character = [byte]
    }
    index += 1
    return character
  }

  /// `{1F600}` or two digits.
  private mutating func readHexadecimal() throws(Unsure) -> [UInt8] {
    let isBraced = consume(UInt8(ascii: "{"))
    var value: UInt32 = 0
    var digits = 0
    while digits < (isBraced ? 6 : 2), let byte = byte(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue {
      value = value << 4 | UInt32(digit)
      digits += 1
      index += 1
    }
    guard isBraced ? digits > 0 && consume(UInt8(ascii: "}")) : digits == 2, let scalar = Unicode.Scalar(value) else {
      throw Unsure()
    }
    return Array(String(Character(scalar)).utf8)
  }

  /// Behind `\p`: one letter, or a name in braces.
  private mutating func skipProperty() throws(Unsure) {
    guard consume(UInt8(ascii: "{")) else {
      guard let byte = byte(), Self.isAlphanumeric(byte) else { throw Unsure() }
      index += 1
      return
    }
    while let byte = byte(), byte != UInt8(ascii: "}") { index += 1 }
    guard consume(UInt8(ascii: "}")) else { throw Unsure() }
  }

  /// From behind `[` to behind its `]`: the characters, if they are few and listed one by one.
  private mutating func readClass() throws(Unsure) -> RequiredPart {
    var members: [[UInt8]] = []
    var isListed = !consume(UInt8(ascii: "^"))
    var isFirst = true
    while let byte = byte() {
      // A bracket that comes first is a member.
      if byte == UInt8(ascii: "]"), !isFirst {
        index += 1
        return isListed ? oneOf(members) : .unknown
      }
      isFirst = false
      switch byte {
      case UInt8(ascii: "["):
        // [:alpha:] and its like hold a bracket that does not end the class.
        if let next = self.byte(1), next == UInt8(ascii: ":") || next == UInt8(ascii: ".") || next == UInt8(ascii: "=")
        {
          throw Unsure()
        }
        members.append(try readCharacter())
      case UInt8(ascii: "-"):
        // A range, unless it stands last; first it is a member, which makes no difference here.
        if self.byte(1) != UInt8(ascii: "]") { isListed = false }
        members.append(try readCharacter())
      case UInt8(ascii: "\\"):
        index += 1
        if let character = try readEscapedCharacter() {
          members.append(character)
          break
        }
        guard let escape = self.byte() else { throw Unsure() }
        index += 1
        isListed = false
        switch escape {
        case UInt8(ascii: "b"), UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "w"), UInt8(ascii: "W"),
          UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "h"), UInt8(ascii: "H"), UInt8(ascii: "v"),
          UInt8(ascii: "V"):
          break
        case UInt8(ascii: "p"), UInt8(ascii: "P"): try skipProperty()
        default: throw Unsure()
        }
      default: members.append(try readCharacter())
      }
    }
    throw Unsure()
  }

  private func oneOf(_ members: [[UInt8]]) -> RequiredPart {
    guard members.count <= RequiredPart.maximumTexts else { return .unknown }
    return RequiredPart(anyOf: members.map(literal))
  }

  // MARK: - Quantifiers

  /// How often what stands before it occurs: once, if there is no quantifier.
  private mutating func readQuantifier() throws(Unsure) -> RequiredSequence.Repetition {
    guard let byte = byte() else { return .once }
    var minimum = 0
    var maximum: Int?
    switch byte {
    case UInt8(ascii: "*"): break
    case UInt8(ascii: "+"): minimum = 1
    case UInt8(ascii: "?"): maximum = 1
    case UInt8(ascii: "{"):
      index += 1
      minimum = try readNumber()
      maximum = minimum
      if consume(UInt8(ascii: ",")) { maximum = self.byte() == UInt8(ascii: "}") ? nil : try readNumber() }
      guard self.byte() == UInt8(ascii: "}") else { throw Unsure() }
    default: return .once
    }
    index += 1
    // Lazy or possessive.
    if let next = self.byte(), next == UInt8(ascii: "?") || next == UInt8(ascii: "+") { index += 1 }
    if let next = self.byte(), "*+?{".utf8.contains(next) { throw Unsure() }
    return RequiredSequence.Repetition(minimum: minimum, maximum: maximum)
  }

  private mutating func readNumber() throws(Unsure) -> Int {
    var value = 0
    let start = index
    while let byte = byte(), byte &- UInt8(ascii: "0") < 10 {
      value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 1 << 20)
      index += 1
    }
    guard index > start else { throw Unsure() }
    return value
  }
}
