import GQLBase

/// What every text that satisfies a condition contains, as far as that is known.
///
/// It is necessary, seldom sufficient: it sorts out texts before they are looked at more closely.
package indirect enum TextRequirement: Hashable, Sendable {
  case nothing
  /// If it is folded, so must be the text.
  case literal([UInt8], isFolded: Bool)
  case all([TextRequirement])
  case any([TextRequirement])

  /// Of more parts no more is asked for, which bounds the work that a pattern makes.
  static let maximumParts = 128

  /// All of these; those that ask for nothing drop out.
  static func all(of parts: [TextRequirement]) -> TextRequirement {
    var flat: [TextRequirement] = []
    for part in parts {
      switch part {
      case .nothing: break
      case .all(let inner): flat += inner
      default: flat.append(part)
      }
    }
    var unique: [TextRequirement] = []
    for part in flat.prefix(maximumParts) where !unique.contains(part) { unique.append(part) }
    switch unique.count {
    case 0: return .nothing
    case 1: return unique[0]
    default: return .all(unique)
    }
  }

  /// One of these at least; nothing if one of them asks for nothing.
  static func any(of parts: [TextRequirement]) -> TextRequirement {
    var unique: [TextRequirement] = []
    guard parts.count <= maximumParts else { return .nothing }
    for part in parts {
      if part == .nothing { return .nothing }
      if case .any(let inner) = part {
        for part in inner where !unique.contains(part) { unique.append(part) }
      } else if !unique.contains(part) {
        unique.append(part)
      }
      // So that nested alternatives are not compared with each other at every depth.
      if unique.count > maximumParts { return .nothing }
    }
    switch unique.count {
    case 0: return .nothing
    case 1: return unique[0]
    default: return .any(unique)
    }
  }

  /// The fewest literals, and few, of which a text must hold one as they are; empty if there are none such.
  package var anyOfFew: [[UInt8]] {
    switch self {
    case .nothing, .literal(_, isFolded: true): return []
    case .literal(let bytes, _): return bytes.isEmpty ? [] : [bytes]
    case .any(let parts):
      guard parts.count <= 4 else { return [] }
      var literals: [[UInt8]] = []
      for part in parts {
        guard case .literal(let bytes, isFolded: false) = part, !bytes.isEmpty else { return [] }
        literals.append(bytes)
      }
      return literals
    case .all(let parts):
      return parts.map(\.anyOfFew).filter { !$0.isEmpty }.min { $0.count < $1.count } ?? []
    }
  }

  var literalCount: Int {
    switch self {
    case .nothing: 0
    case .literal: 1
    case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.literalCount }
    }
  }

  /// The same in trigrams of folded text; nil if they say nothing.
  package var trigrams: CandidateQuery? {
    switch self {
    case .nothing: return nil
    case .literal(let bytes, let isFolded):
      if isFolded { return CandidateQuery(literal: bytes) }
      var folded: [UInt8] = []
      bytes.withUnsafeBufferPointer { CaseFolding.fold($0, into: &folded) }
      return CandidateQuery(literal: folded)
    case .all(let parts):
      var result: CandidateQuery?
      for part in parts {
        guard let query = part.trigrams else { continue }
        if result == nil { result = query } else { result?.formIntersection(query) }
      }
      return result
    case .any(let parts):
      var choices: [CandidateQuery] = []
      for part in parts {
        guard let query = part.trigrams else { return nil }
        if !choices.contains(query) { choices.append(query) }
      }
      return choices.count == 1 ? choices[0] : CandidateQuery(alternatives: [choices])
    }
  }
}

/// The conditions that literals of a text can be taken from.
package enum TextCondition: Hashable, Sendable {
  case contains, startsWith, endsWith, like, ilike, regex
}

extension TextRequirement {
  /// What texts hold for which the condition with this pattern is true. A pattern that is none asks for nothing, so that
  /// it is met, and refused, by whoever looks at the texts.
  package init(_ condition: TextCondition, _ pattern: some RandomAccessCollection<UInt8>) {
    switch condition {
    case .contains, .startsWith, .endsWith:
      self = pattern.isEmpty ? .nothing : .literal(Self.beginning(of: pattern), isFolded: false)
    case .like, .ilike:
      let like =
        pattern.count <= Self.longestPattern
        ? try? LikePattern(Array(pattern), ignoresCase: condition == .ilike) : nil
      self = like?.requirement ?? .nothing
    case .regex: self = pattern.count <= Self.longestPattern ? RequirementReader.read(Array(pattern)) : .nothing
    }
  }

  /// Longer patterns ask for nothing, because reading them takes longer than a plan may; most limits refuse them.
  private static let longestPattern = 1 << 14
  /// What holds a longer literal holds its beginning.
  private static let longestLiteral = 1 << 12

  /// Whole code points of it.
  private static func beginning(of literal: some RandomAccessCollection<UInt8>) -> [UInt8] {
    guard literal.count > longestLiteral else { return Array(literal) }
    var bytes = Array(literal.prefix(longestLiteral))
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    return bytes
  }
}
