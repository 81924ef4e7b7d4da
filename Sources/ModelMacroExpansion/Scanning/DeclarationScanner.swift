/// Reads a type declaration: its head, and of its body the properties and the conditions around them.
///
/// Any tokens give a result. Every step goes forward or ends a loop; nothing recurs.
struct DeclarationScanner {
  let stream: TokenStream
  var position = 0

  init(_ stream: TokenStream) { self.stream = stream }

  /// The declaration that the tokens begin with, or nil if they are none of a type.
  static func declaration(in stream: TokenStream) -> TypeDeclaration? {
    var scanner = DeclarationScanner(stream)
    return scanner.scanDeclaration()
  }

  private mutating func scanDeclaration() -> TypeDeclaration? {
    var attributes: [Attribute] = []
    var modifiers: [Modifier] = []
    while position < stream.count {
      if stream.at(position, "@") {
        attributes.append(scanAttribute(end: stream.count))
      } else if Keywords.types.contains(stream.word(position)), stream.isName(position + 1) {
        return scanType(attributes, modifiers)
      } else if stream.at(position, "#") {
        skipConditionLine(end: stream.count)
      } else if stream.isName(position) {
        modifiers.append(scanModifier())
      } else {
        return nil
      }
    }
    return nil
  }

  private mutating func scanType(_ attributes: [Attribute], _ modifiers: [Modifier]) -> TypeDeclaration? {
    let keyword = position
    position += 2
    while position < stream.count, !stream.at(position, "{") { position = stream.after(position) }
    guard position < stream.count else { return nil }
    var declaration = TypeDeclaration(
      attributes: attributes, modifiers: modifiers, keyword: keyword, name: keyword + 1, openingBrace: position,
      members: [])
    let body = stream.insideGroup(position)
    position = body.lowerBound
    declaration.members = scanMembers(end: body.upperBound)
    return declaration
  }

  // MARK: Members

  private mutating func scanMembers(end: Int) -> [Member] {
    var members: [Member] = []
    var attributes: [Attribute] = []
    var modifiers: [Modifier] = []
    while position < end {
      let word = stream.word(position)
      if stream.at(position, "@") {
        attributes.append(scanAttribute(end: end))
        continue
      }
      // Conditions may stand between an attribute and what it belongs to, so they leave both as they are.
      if stream.at(position, "#"), let line = scanConditionLine(end: end) {
        members.append(.condition(line))
        continue
      }
      if word == "var" || word == "let" {
        members += scanProperties(attributes, modifiers, end: end).map(Member.property)
      } else if Keywords.introducesOtherMember(word), !isModifierClass() {
        if let keys = codingKeys() { members.append(.codingKeys(keys)) }
        skipMember(end: end)
      } else if stream.isName(position) {
        modifiers.append(scanModifier())
        continue
      } else {
        position = stream.after(position)
      }
      attributes.removeAll()
      modifiers.removeAll()
    }
    position = end
    return members
  }

  /// `class var` and `class func`.
  private func isModifierClass() -> Bool {
    stream.word(position) == "class" && ["var", "let", "func", "subscript"].contains(stream.word(position + 1))
  }

  /// Moves behind a member that is no property: to the end of its body, or where the next one begins.
  private mutating func skipMember(end: Int) {
    position += 1
    while position < end {
      if stream.at(position, ";") || beginsNext(position) { return }
      let isBody = stream.at(position, "{")
      position = stream.after(position)
      if isBody { return }
    }
  }

  /// Whether a line begins here with what cannot belong to the line before.
  func beginsNext(_ index: Int) -> Bool {
    guard stream.isFirstOnLine(index), stream.completes(index - 1) else { return false }
    if stream.at(index, "@") || stream.at(index, "#") { return true }
    return stream.isName(index) && !Keywords.continues(stream.word(index))
  }

  // MARK: Attributes and modifiers

  mutating func scanAttribute(end: Int) -> Attribute {
    let start = position
    position += 1
    var names: [String] = []
    while position < end, stream.isName(position) {
      names.append(stream.text(position))
      position += 1
      guard stream.at(position, "."), stream.isName(position + 1), position + 1 < end else { break }
      position += 1
    }
    let nameEnd = position
    var hasGenericArguments = false
    if stream.at(position, "<"), let next = stream.afterAngles(position, end: end) {
      hasGenericArguments = true
      position = next
    }
    var arguments: [Attribute.Argument]?
    if stream.at(position, "("), position < end, !stream.isFirstOnLine(position) {
      arguments = self.arguments(in: stream.insideGroup(position))
      position = min(stream.after(position), end)
    }
    return Attribute(
      qualifier: names.count > 1 ? names.dropLast().joined(separator: ".") : nil, name: names.last ?? "",
      range: start..<position, nameEnd: nameEnd, hasGenericArguments: hasGenericArguments, arguments: arguments)
  }

  private func arguments(in group: Range<Int>) -> [Attribute.Argument] {
    var arguments: [Attribute.Argument] = []
    var index = group.lowerBound
    while index < group.upperBound {
      var label: String?
      if stream.isName(index), stream.at(index + 1, ":"), index + 1 < group.upperBound {
        label = stream.text(index)
        index += 2
      }
      let start = index
      while index < group.upperBound, !stream.at(index, ",") {
        let isGeneric = stream.at(index, "<") && stream.isAdjacent(index)
        index = isGeneric ? stream.afterAngles(index, end: group.upperBound) ?? index + 1 : stream.after(index)
      }
      index = min(index, group.upperBound)
      if index > start { arguments.append(Attribute.Argument(label: label, value: start..<index)) }
      index += 1
    }
    return arguments
  }

  /// A word and, as in `private(set)`, another one in parentheses.
  private mutating func scanModifier() -> Modifier {
    let start = position
    position += 1
    var detail: String?
    if stream.at(position, "("), !stream.isFirstOnLine(position) {
      detail = stream.text(stream.insideGroup(position))
      position = stream.after(position)
    }
    return Modifier(name: stream.text(start), detail: detail, range: start..<position)
  }

  // MARK: Conditions

  /// `#if condition` and its companions; nil for any other `#`.
  mutating func scanConditionLine(end: Int) -> ConditionLine? {
    guard stream.isAdjacent(position + 1), position + 1 < end,
      let kind = ConditionLine.Kind(rawValue: stream.word(position + 1))
    else { return nil }
    position += 2
    let start = position
    let hasCondition = kind == .if || kind == .elseif
    while hasCondition, position < end, !stream.isFirstOnLine(position) || !stream.completes(position - 1) {
      position = min(stream.after(position), end)
    }
    return ConditionLine(kind: kind, condition: stream.text(start..<position))
  }

  private mutating func skipConditionLine(end: Int) {
    if scanConditionLine(end: end) == nil { position = stream.after(position) }
  }

  /// The token behind `#if … #endif` when that carries on an expression with `.member`, else nil.
  func afterPostfixCondition(_ index: Int, end: Int) -> Int? {
    guard stream.word(index + 1) == "if" else { return nil }
    var scanner = self
    scanner.position = index
    scanner.skipConditionLine(end: end)
    guard scanner.position < end, stream.at(scanner.position, ".") else { return nil }
    var depth = 1
    while scanner.position < end {
      if stream.at(scanner.position, "#"), stream.isFirstOnLine(scanner.position) {
        switch stream.word(scanner.position + 1) {
        case "if": depth += 1
        case "endif":
          depth -= 1
          if depth == 0 { return scanner.position + 2 }
        default: break
        }
      }
      scanner.position = stream.after(scanner.position)
    }
    return nil
  }
}
