extension DeclarationScanner {
  /// All the properties of one `var` or `let`: `var a = 1, b: Int { didSet {} }`, `let (a, b) = pair`.
  mutating func scanProperties(_ attributes: [Attribute], _ modifiers: [Modifier], end: Int) -> [PropertyDeclaration] {
    let introducer = position
    var properties: [PropertyDeclaration] = []
    repeat {
      position += 1
      let names = scanPattern(end: end)
      guard let names else { break }
      var property = PropertyDeclaration(
        attributes: attributes, modifiers: modifiers, introducer: introducer,
        isVariable: stream.word(introducer) == "var", name: introducer, type: nil, initialValue: nil, accessors: .none,
        end: position)
      if stream.at(position, ":"), position < end {
        position += 1
        property.type = scanType(end: end)
      }
      if stream.at(position, "="), position < end {
        position += 1
        property.initialValue = scanExpression(end: end)
      }
      if stream.at(position, "{"), position < end {
        property.accessors = beginsObservers(position) ? .observers : .computed
        position = min(stream.after(position), end)
      }
      property.end = position
      for name in names.tokens {
        property.name = name
        // A tuple's type and value are not those of its parts, though whether there is a value is.
        if names.isTuple { property.type = nil }
        properties.append(property)
      }
    } while position < end && stream.at(position, ",")
    shareTypes(&properties)
    return properties
  }

  /// In `var a, b: Int` the type is that of both.
  private func shareTypes(_ properties: inout [PropertyDeclaration]) {
    var type: Range<Int>?
    for index in properties.indices.reversed() {
      if let own = properties[index].type {
        type = own
      } else if properties[index].initialValue != nil {
        type = nil
      } else {
        properties[index].type = type
      }
    }
  }

  /// The names of a pattern; nil if there is none.
  private mutating func scanPattern(end: Int) -> (tokens: [Int], isTuple: Bool)? {
    guard position < end else { return nil }
    if stream.isName(position) {
      defer { position += 1 }
      return (stream.text(position) == "_" ? [] : [position], false)
    }
    guard stream.at(position, "(") else { return nil }
    let next = min(stream.after(position), end)
    let names = (position..<next).filter {
      stream.isName($0) && stream.text($0) != "_" && !(stream.at($0 + 1, ":") && $0 + 1 < next)
    }
    position = next
    return (names, true)
  }

  /// A type ends at a value, accessors, a comma, or where the next member begins.
  private mutating func scanType(end: Int) -> Range<Int> {
    let start = position
    while position < end {
      if stream.at(position, "=") || stream.at(position, "{") || stream.at(position, ",") || stream.at(position, ";")
        || stream.at(position, "#")
      {
        break
      }
      if position > start, beginsNext(position) { break }
      let isList = stream.at(position, "<")
      position = isList ? stream.afterAngles(position, end: end) ?? position + 1 : stream.after(position)
      position = min(position, end)
    }
    return start..<position
  }

  /// A value ends at observers, a comma, or where the next member begins.
  private mutating func scanExpression(end: Int) -> Range<Int> {
    let start = position
    while position < end, !stream.at(position, ","), !stream.at(position, ";") {
      if stream.at(position, "{"), position > start, beginsObservers(position) { break }
      if position > start, beginsNext(position) {
        guard stream.at(position, "#"), let next = afterPostfixCondition(position, end: end) else { break }
        position = next
        continue
      }
      position = min(afterGenericArguments(position, end: end) ?? stream.after(position), end)
    }
    return start..<position
  }

  /// `Pair<A, B>(…)`: the commas in the list are none between properties.
  private func afterGenericArguments(_ index: Int, end: Int) -> Int? {
    guard stream.at(index, "<"), stream.isAdjacent(index), stream.isName(index - 1) else { return nil }
    return stream.afterAngles(index, end: end)
  }

  /// Whether the braces that open here hold `willSet` or `didSet`.
  private func beginsObservers(_ index: Int) -> Bool {
    var scanner = self
    let inside = stream.insideGroup(index)
    scanner.position = inside.lowerBound
    while scanner.position < inside.upperBound {
      if stream.at(scanner.position, "@") {
        _ = scanner.scanAttribute(end: inside.upperBound)
        continue
      }
      let word = stream.word(scanner.position)
      let next = scanner.position + 1
      if word == "willSet" || word == "didSet" { return stream.at(next, "{") || stream.at(next, "(") }
      guard word == "nonisolated" || word == "mutating" || word == "nonmutating" else { return false }
      scanner.position = next
    }
    return false
  }
}
