import GQLBase

extension Printer {
  mutating func write(_ document: Document) {
    for (index, definition) in document.definitions.enumerated() {
      if index > 0 {
        breakLine()
        flushTrailingComment(before: definition.range.start)
        writeBlankLine()
      }
      flushComments(before: definition.range.start)
      write(definition)
      mark(definition.range.end)
    }
    breakLine()
    flushComments(before: .max)
    while output.last == 0x0A { output.removeLast() }
    output.append(0x0A)
  }

  /// A comment on the line of what was written last.
  private mutating func flushTrailingComment(before offset: UInt32) {
    guard let start = trivia?.nextComment, start >= lastEnd, start < offset,
      trivia?.onSameLine(lastEnd, start) ?? false
    else { return }
    flushComments(before: start + 1, keepsBlankLines: false)
  }

  private mutating func write(_ definition: Definition) {
    switch definition {
    case .operation(let node): write(node)
    case .fragment(let node): write(node)
    case .function(let node): write(node)
    case .schema(let node): write(node)
    case .type(let node): write(node)
    case .directive(let node): write(node)
    }
  }

  mutating func writeDescription(_ description: StringLiteral?, before offset: UInt32) {
    guard let description else { return }
    write(description)
    breakLine()
    flushComments(before: offset, keepsBlankLines: false)
  }

  private mutating func write(_ node: OperationDefinition) {
    if node.isShorthand { return write(node.selectionSet) }
    writeDescription(node.description, before: nextToken(after: node.description))
    write(node.operation.rawValue)
    if let name = node.name {
      write(" ")
      write(name)
    } else if !node.variables.isEmpty {
      write(" ")
    }
    reserved = 2
    writeVariables(node.variables, from: node.name?.range.end ?? node.range.start)
    write(node.directives)
    reserved = 0
    write(" ")
    write(node.selectionSet)
  }

  private mutating func write(_ node: FragmentDefinition) {
    writeDescription(node.description, before: nextToken(after: node.description))
    write("fragment ")
    write(node.name, quoting: ["on"])
    reserved = 6 + node.typeCondition.text.utf8.count
    writeVariables(node.variables, from: node.name.range.end)
    write(" on ")
    write(node.typeCondition)
    reserved = 2
    write(node.directives)
    reserved = 0
    write(" ")
    write(node.selectionSet)
  }

  /// Where the token behind a description starts.
  func nextToken(after description: StringLiteral?) -> UInt32 {
    guard let description else { return 0 }
    return trivia?.nextTokenStart(from: description.range.end) ?? 0
  }

  private mutating func writeVariables(_ variables: [VariableDefinition], from start: UInt32) {
    guard let last = variables.last else { return }
    writeItems(
      variables, "(", ")", commaInBroken: false, region: region(from: start, lastItemEnd: last.range.end),
      startOf: { $0.range.start }, mustBreak: variables.contains { $0.description != nil }
    ) { printer, variable in
      printer.writeDescription(variable.description, before: printer.nextToken(after: variable.description))
      printer.write("$")
      printer.write(variable.name)
      printer.write(": ")
      printer.write(variable.type)
      printer.writeDefault(variable.defaultValue)
      printer.write(variable.directives)
    }
  }

  mutating func writeDefault(_ value: Expression?) {
    guard let value else { return }
    write(" = ")
    // A default is a value of GraphQL, or an expression in parentheses.
    write(value, inList: false)
  }

  private mutating func write(_ node: FunctionDefinition) {
    writeDescription(node.description, before: nextToken(after: node.description))
    write("func ")
    write(node.name)
    if let last = node.parameters.last {
      let end = last.defaultValue?.range.end ?? last.type.range.end
      writeItems(
        node.parameters, "(", ")", commaInBroken: false, region: region(from: node.name.range.end, lastItemEnd: end),
        startOf: { $0.name.range.start }
      ) { printer, parameter in
        printer.write(parameter.name)
        printer.write(": ")
        printer.write(parameter.type)
        printer.writeDefault(parameter.defaultValue)
      }
    } else {
      write("()")
    }
    write(": ")
    write(node.result)
    write(" = ")
    writeWhole(node.body, isOperand: true)
  }

  mutating func write(_ type: TypeReference) {
    switch type {
    case .named(let name): write(name)
    case .list(let element, let range):
      write("[")
      write(element)
      write("]")
      mark(range.end)
    case .nonNull(let inner, let range):
      write(inner)
      write("!")
      mark(range.end)
    }
  }

  mutating func write(_ directives: [Directive]) {
    for directive in directives {
      write(" @")
      write(directive.name)
      write(directive.arguments, from: directive.name.range.end)
      mark(directive.range.end)
    }
  }

  mutating func write(_ arguments: [Argument], from start: UInt32) {
    guard let last = arguments.last else { return }
    writeItems(
      arguments, "(", ")", commaInBroken: false, region: region(from: start, lastItemEnd: last.range.end),
      startOf: { $0.range.start }
    ) { $0.write($1) }
  }

  mutating func write(_ argument: Argument) {
    if !argument.name.text.isEmpty {
      write(argument.name)
      write(": ")
    }
    writeWhole(argument.value)
  }

  // MARK: Selections

  mutating func write(_ set: SelectionSet) {
    write("{")
    lastEnd = max(lastEnd, set.range.start + 1)
    indentation += 2
    for (index, selection) in set.selections.enumerated() {
      breakLine()
      flushComments(before: selection.range.start)
      let previous = index > 0 ? set.selections[index - 1] : nil
      let next = index + 1 < set.selections.count ? set.selections[index + 1] : nil
      write(selection, after: previous, before: next)
      mark(selection.range.end)
    }
    breakLine()
    flushComments(before: max(set.range.end, 1) - 1, keepsBlankLines: false)
    indentation -= 2
    write("}")
    mark(set.range.end)
  }

  mutating func write(_ selection: Selection, after previous: Selection?, before next: Selection?) {
    switch selection {
    case .field(let node):
      var words: [String] = []
      if node.alias == nil, let previous, previous.endsInExpression { words = Self.operatorWords }
      if node.isBareName, case .computed(let computed)? = next, computed.usesWalrus { words.append("let") }
      write(node, quoting: words)
    case .fragmentSpread(let node):
      write("...")
      write(node.name, quoting: ["on"])
      write(node.arguments, from: node.name.range.end)
      write(node.directives)
    case .inlineFragment(let node): write(node)
    case .splat(let node):
      write(node.isBare ? "*" : node.isDouble ? "...**" : "...*")
      write(node.directives)
    case .computed(let node): write(node)
    case .letBinding(let node):
      write("let ")
      write(node.name)
      write(" := ")
      writeWhole(node.expression, isOperand: true)
    }
  }

  /// Words that would continue an expression before them.
  private static let operatorWords = [
    "or", "and", "not", "in", "is", "as", "like", "ilike", "contains", "startsWith", "endsWith", "matches",
  ]

  private mutating func write(_ field: Field, quoting words: [String]) {
    if let alias = field.alias {
      write(alias)
      write(": ")
    }
    reserved = field.selectionSet == nil ? 0 : 2
    write(field.name, quoting: words)
    write(field.arguments, from: field.name.range.end)
    write(field.directives)
    reserved = 0
    writeShape(field.selectionSet)
  }

  private mutating func writeShape(_ set: SelectionSet?) {
    guard let set else { return }
    write(" ")
    write(set)
  }

  private mutating func write(_ node: InlineFragment) {
    write("...")
    if let condition = node.typeCondition {
      write(" on ")
      write(condition)
    }
    write(node.directives)
    writeShape(node.selectionSet)
  }

  private mutating func write(_ node: ComputedSelection) {
    write(node.name)
    write(node.usesWalrus ? " := " : ": ")
    reserved = node.selectionSet == nil ? 0 : 2
    if node.usesWalrus {
      writeWhole(node.expression, isOperand: true)
    } else {
      // Behind a colon the parentheses say that it is no alias.
      write(node.expression)
    }
    write(node.directives)
    reserved = 0
    writeShape(node.selectionSet)
  }
}

extension Selection {
  /// True if a word behind the selection could continue its expression.
  fileprivate var endsInExpression: Bool {
    switch self {
    case .computed(let node): node.usesWalrus && node.directives.isEmpty && node.selectionSet == nil
    case .letBinding: true
    default: false
    }
  }
}

extension Field {
  fileprivate var isBareName: Bool {
    alias == nil && arguments.isEmpty && directives.isEmpty && selectionSet == nil
  }
}

extension Definition {
  /// From the description, if there is one, to the end.
  package var range: SourceRange {
    switch self {
    case .operation(let node): node.range
    case .fragment(let node): node.range
    case .function(let node): node.range
    case .schema(let node): node.range
    case .type(let node): node.range
    case .directive(let node): node.range
    }
  }
}
