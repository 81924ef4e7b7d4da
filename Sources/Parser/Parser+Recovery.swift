import GQLLexer

/// Skipping what cannot be read, to a place where reading can go on.
extension Parser {
  /// True if the last element that was read ended in an error that nothing has skipped yet.
  var stuck: Bool { lastErrorPosition == position }

  /// Skips one token, or all that is between it and its closing bracket.
  @inline(never) mutating func skipGroup() {
    var open = 0
    var progress = LoopProgress()
    while !at(.endOfFile), progress.advanced(position) {
      switch kind {
      case .leftBrace, .leftBracket, .leftParenthesis: open += 1
      case .rightBrace, .rightBracket, .rightParenthesis: open -= 1
      default: break
      }
      advance()
      if open <= 0 { return }
    }
  }

  /// To `Name ':'`, `)` or what ends the whole selection.
  @inline(never) mutating func recoverToArgument() {
    var progress = LoopProgress()
    while progress.advanced(position) {
      switch kind {
      case .endOfFile, .rightParenthesis, .rightBrace, .leftBrace: return
      case .name, .quotedName:
        if atArgumentStart { return }
        advance()
      case .leftParenthesis, .leftBracket: skipGroup()
      default: advance()
      }
    }
  }

  /// To the next list element or object field, which a comma starts, or a closing bracket.
  @inline(never) mutating func recoverToElement() {
    var progress = LoopProgress()
    while progress.advanced(position) {
      switch kind {
      case .endOfFile, .rightParenthesis, .rightBrace, .rightBracket: return
      default:
        skipGroup()
        if !at(.endOfFile), commaBefore { return }
      }
    }
  }

  /// To a name or spread at the start of a line, or `}`; past what stands at `first`, which could not be read.
  @inline(never) mutating func recoverToSelection(from first: Int) {
    if position == first, !at(.rightBrace) { skipGroup() }
    var progress = LoopProgress()
    while progress.advanced(position) {
      switch kind {
      case .endOfFile, .rightBrace: return
      case .name, .quotedName, .spread:
        if isAtLineStart { return }
        advance()
      case .leftBrace, .leftParenthesis, .leftBracket: skipGroup()
      default: advance()
      }
    }
  }

  /// To a field or value of a type at the start of a line, or behind a comma, or `}`.
  @inline(never) mutating func recoverToMember() {
    var progress = LoopProgress()
    while progress.advanced(position) {
      switch kind {
      case .endOfFile, .rightBrace: return
      case .name, .quotedName, .string, .blockString:
        if isAtLineStart || commaBefore { return }
        advance()
      case .leftBrace, .leftParenthesis, .leftBracket: skipGroup()
      default: advance()
      }
    }
  }

  /// To what looks like the start of a definition at the start of a line.
  @inline(never) mutating func recoverToDefinition() {
    var progress = LoopProgress()
    while progress.advanced(position) {
      switch kind {
      case .endOfFile: return
      case .name:
        if isAtLineStart, definitionKeyword(at: position) != nil { return }
        advance()
      case .string, .blockString, .leftBrace:
        if isAtLineStart { return }
        skipGroup()
      default: advance()
      }
    }
  }

  /// True if nothing but blanks stands before the current token on its line.
  var isAtLineStart: Bool {
    var index = Int(start)
    while index > 0 {
      switch bytes[index - 1] {
      case 0x20, 0x09, UInt8(ascii: ","): index -= 1
      case 0x0A, 0x0D: return true
      default: return false
      }
    }
    return true
  }
}
