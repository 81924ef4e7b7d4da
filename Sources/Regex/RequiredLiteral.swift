/// Finds text that every match of a pattern contains, so that a substring search can sort out most texts.
///
/// Reads only what it is sure about; anything else gives nil, which costs speed and never a match.
enum RequiredLiteral {
  /// The longest run of literal bytes outside groups and alternatives; nil if unsure or if there is none.
  static func find(in pattern: [UInt8], ignoringCase: Bool) -> [UInt8]? {
    var reader = Reader(pattern: pattern, ignoresCase: ignoringCase)
    if pattern.starts(with: Array("(?i)".utf8)) {
      reader.ignoresCase = true
      reader.index = 4
    }
    return reader.read() && !reader.best.isEmpty ? reader.best : nil
  }

  private struct Reader {
    let pattern: [UInt8]
    var ignoresCase: Bool
    var index = 0
    /// The run that is being read, and where its last character begins.
    var run: [UInt8] = []
    var lastStart = 0
    var best: [UInt8] = []

    init(pattern: [UInt8], ignoresCase: Bool) {
      self.pattern = pattern
      self.ignoresCase = ignoresCase
    }

    func byte(_ index: Int) -> UInt8? { index < pattern.count ? pattern[index] : nil }

    /// False if there is something that it does not understand.
    mutating func read() -> Bool {
      while let byte = byte(index) {
        index += 1
        switch byte {
        case 0x7C:  // an alternative at the top
          return false
        case 0x28:
          guard skipGroup() else { return false }
          endRun()
          guard skipQuantifier() != nil else { return false }
        case 0x5B:
          guard skipClass() else { return false }
          endRun()
          guard skipQuantifier() != nil else { return false }
        case 0x2E, 0x5E, 0x24:  // . ^ $
          endRun()
          guard skipQuantifier() != nil else { return false }
        case 0x2A, 0x2B, 0x3F, 0x29:  // a quantifier or parenthesis out of place
          return false
        case 0x5C:
          guard let escape = self.byte(index) else { return false }
          index += 1
          guard readEscape(escape) else { return false }
        default:
          var character = [byte]
          while let next = self.byte(index), next & 0xC0 == 0x80, byte >= 0xC0 {
            character.append(next)
            index += 1
          }
          guard readLiteral(character) else { return false }
        }
      }
      endRun()
      return true
    }

    mutating func readEscape(_ escape: UInt8) -> Bool {
      switch escape {
      case 0x6E: return readLiteral([0x0A])
      case 0x74: return readLiteral([0x09])
      case 0x72: return readLiteral([0x0D])
      case 0x66: return readLiteral([0x0C])
      case 0x64, 0x44, 0x77, 0x57, 0x73, 0x53, 0x68, 0x48, 0x76, 0x56, 0x62, 0x42, 0x41, 0x5A, 0x7A:
        // d D w W s S h H v V b B A Z z: one character or none, not known which
        endRun()
        return skipQuantifier() != nil
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return false
      case 0x80...: return false
      default: return readLiteral([escape])
      }
    }

    mutating func readLiteral(_ character: [UInt8]) -> Bool {
      let first = character[0]
      let hasCase = first >= 0x80 || (0x61...0x7A).contains(first | 0x20)
      if ignoresCase, hasCase {
        endRun()
        return skipQuantifier() != nil
      }
      lastStart = run.count
      run += character
      guard let quantifier = skipQuantifier() else { return false }
      switch quantifier {
      case .none: break
      case .optional:
        run.removeSubrange(lastStart...)
        endRun()
      case .repeated:
        endRun()
      }
      return true
    }

    mutating func endRun() {
      if run.count > best.count { best = run }
      run.removeAll()
    }

    enum Quantifier { case none, optional, repeated }

    /// Nil if there is something in braces that may be a quantifier and is not understood.
    mutating func skipQuantifier() -> Quantifier? {
      guard let byte = byte(index) else { return Quantifier.none }
      var result: Quantifier
      switch byte {
      case 0x2A, 0x3F: result = .optional
      case 0x2B: result = .repeated
      case 0x7B:
        guard let minimum = readBraces() else { return nil }
        result = minimum > 0 ? .repeated : .optional
      default: return Quantifier.none
      }
      index += 1
      // Lazy or possessive.
      if let next = self.byte(index), next == 0x3F || next == 0x2B { index += 1 }
      // Another quantifier is an error, or is not understood here.
      if let next = self.byte(index), next == 0x2A || next == 0x2B || next == 0x3F || next == 0x7B { return nil }
      return result
    }

    /// `{n}`, `{n,}` or `{n,m}`: n; stands on the closing brace afterwards.
    mutating func readBraces() -> Int? {
      var minimum = 0
      var digits = 0
      var hasComma = false
      index += 1
      while let byte = byte(index), byte != 0x7D {
        switch byte {
        case 0x30...0x39:
          if !hasComma {
            minimum = min(minimum * 10 + Int(byte - 0x30), 1 << 20)
            digits += 1
          }
        case 0x2C where !hasComma && digits > 0: hasComma = true
        default: return nil
        }
        index += 1
      }
      return digits > 0 && byte(index) == 0x7D ? minimum : nil
    }

    /// From behind `(` to behind its `)`; false if something in it reaches beyond it or is not understood.
    mutating func skipGroup() -> Bool {
      var depth = 1
      var opened = true
      while let byte = byte(index) {
        if opened {
          opened = false
          // Verbs, such as (*ACCEPT), end a match early.
          if byte == 0x2A { return false }
          if byte == 0x3F {
            guard let kind = self.byte(index + 1) else { return false }
            switch kind {
            case 0x3A, 0x3D, 0x21, 0x3E, 0x3C, 0x50: break  // (?: (?= (?! (?> (?< (?P
            default: return false
            }
          }
        }
        index += 1
        switch byte {
        case 0x28:
          depth += 1
          opened = true
        case 0x29:
          depth -= 1
          if depth == 0 { return true }
        case 0x5B:
          guard skipClass() else { return false }
        case 0x5C:
          guard let escape = self.byte(index), !isQuoting(escape) else { return false }
          index += 1
        default: break
        }
      }
      return false
    }

    /// From behind `[` to behind its `]`.
    mutating func skipClass() -> Bool {
      if byte(index) == 0x5E { index += 1 }
      // A bracket that comes first is a member.
      if byte(index) == 0x5D { index += 1 }
      while let byte = byte(index) {
        index += 1
        switch byte {
        case 0x5D: return true
        case 0x5C:
          guard let escape = self.byte(index), !isQuoting(escape) else { return false }
          index += 1
        case 0x5B:
          // [:alpha:] and its like hold a bracket that does not end the class.
          if let next = self.byte(index), next == 0x3A || next == 0x2E || next == 0x3D { return false }
        default: break
        }
      }
      return false
    }

    /// `\Q` makes what follows literal, `\E` ends that; `\c` takes the next character, whatever it is.
    func isQuoting(_ escape: UInt8) -> Bool {
      escape == 0x51 || escape == 0x45 || escape == 0x63
    }
  }
}
