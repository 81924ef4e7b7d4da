extension DeclarationScanner {
  /// The member that begins here if it is called `CodingKeys`.
  func codingKeys() -> CodingKeysDeclaration? {
    let word = stream.word(position)
    guard Keywords.types.contains(word) || word == "typealias", word != "extension",
      stream.isName(position + 1), EntityModelReader.unquoted(stream.text(position + 1)) == "CodingKeys"
    else { return nil }
    var keys = CodingKeysDeclaration(keyword: position, cases: nil)
    var brace = position + 2
    while brace < stream.count, !stream.at(brace, "{") { brace = stream.after(brace) }
    guard word == "enum", brace < stream.count else { return keys }
    var scanner = self
    let body = stream.insideGroup(brace)
    scanner.position = body.lowerBound
    keys.cases = scanner.scanCases(end: body.upperBound)
    return keys
  }

  private mutating func scanCases(end: Int) -> [CodingKeysDeclaration.Case] {
    var cases: [CodingKeysDeclaration.Case] = []
    var conditions: [[ConditionLine]] = []
    while position < end {
      if stream.at(position, "#"), let line = scanConditionLine(end: end) {
        switch line.kind {
        case .if: conditions.append([line])
        case .endif: _ = conditions.popLast()
        case .elseif, .else: if !conditions.isEmpty { conditions[conditions.count - 1].append(line) }
        }
      } else if stream.word(position) == "case" {
        repeat {
          position += 1
          guard position < end, stream.isName(position) else { break }
          cases.append(CodingKeysDeclaration.Case(name: position, conditions: conditions))
          skipRawValue(end: end)
        } while position < end && stream.at(position, ",")
      } else {
        position = stream.after(position)
      }
    }
    return cases
  }

  /// Moves behind a case's name and what follows it, to a comma or where something else begins.
  private mutating func skipRawValue(end: Int) {
    position += 1
    while position < end, !stream.at(position, ","), !stream.at(position, ";"), !beginsNext(position) {
      position = min(stream.after(position), end)
    }
  }
}
