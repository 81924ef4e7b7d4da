import GQLBase

extension Printer {
  mutating func write(_ node: SchemaDefinition) {
    writeDescription(node.description, before: nextToken(after: node.description))
    write(node.isExtension ? "extend schema" : "schema")
    write(node.directives)
    writeMembers(node.operationTypes, in: node.range, startOf: { $0.range.start }) { printer, root in
      printer.write(root.operation.rawValue)
      printer.write(": ")
      printer.write(root.type)
    }
  }

  mutating func write(_ node: TypeDefinition) {
    writeDescription(node.description, before: nextToken(after: node.description))
    if node.isExtension { write("extend ") }
    write(node.kind.keyword)
    write(" ")
    write(node.name)
    if !node.interfaces.isEmpty {
      write(" implements ")
      write(node.interfaces, separator: " & ")
    }
    write(node.directives)
    if !node.members.isEmpty {
      write(" =")
      writeAlternatives(node.members)
    }
    writeMembers(node.fields, in: node.range, startOf: { $0.range.start }) { $0.write($1) }
    writeMembers(node.inputFields, in: node.range, startOf: { $0.range.start }) { $0.write($1) }
    writeMembers(node.values, in: node.range, startOf: { $0.range.start }) { $0.write($1) }
  }

  mutating func write(_ node: DirectiveDefinition) {
    writeDescription(node.description, before: nextToken(after: node.description))
    write("directive @")
    write(node.name)
    write(node.arguments, from: node.name.range.end)
    write(node.isRepeatable ? " repeatable on" : " on")
    writeAlternatives(node.locations)
  }

  /// Names with `|` between them, or each on a line behind one.
  private mutating func writeAlternatives(_ members: [Name]) {
    let length = members.reduce(0) { $0 + $1.text.utf8.count + 3 }
    if output.count - lineStart + length <= Self.width {
      write(" ")
      return write(members, separator: " | ")
    }
    indentation += 2
    for member in members {
      breakLine()
      write("| ")
      write(member)
    }
    indentation -= 2
  }

  private mutating func write(_ names: [Name], separator: String) {
    for (index, name) in names.enumerated() {
      if index > 0 { write(separator) }
      write(name)
    }
  }

  /// Members in braces, each on a line of its own.
  private mutating func writeMembers<Member>(
    _ members: [Member], in range: SourceRange, startOf: (Member) -> UInt32,
    _ write: (inout Printer, Member) -> Void
  ) {
    guard let first = members.first else { return }
    self.write(" {")
    if let brace = trivia?.previousTokenEnd(before: startOf(first)) { mark(brace) }
    indentation += 2
    for member in members {
      breakLine()
      flushComments(before: startOf(member))
      write(&self, member)
    }
    breakLine()
    flushComments(before: max(range.end, 1) - 1, keepsBlankLines: false)
    indentation -= 2
    self.write("}")
    mark(range.end)
  }

  private mutating func write(_ node: FieldDefinition) {
    writeDescription(node.description, before: nextToken(after: node.description))
    write(node.name)
    write(node.arguments, from: node.name.range.end)
    write(": ")
    write(node.type)
    writeDefault(node.defaultValue)
    write(node.directives)
    mark(node.range.end)
  }

  private mutating func write(_ arguments: [InputValueDefinition], from start: UInt32) {
    guard let last = arguments.last else { return }
    writeItems(
      arguments, "(", ")", commaInBroken: false, region: region(from: start, lastItemEnd: last.range.end),
      startOf: { $0.range.start }, mustBreak: arguments.contains { $0.description != nil }
    ) { $0.write($1) }
  }

  private mutating func write(_ node: InputValueDefinition) {
    writeDescription(node.description, before: nextToken(after: node.description))
    write(node.name)
    write(": ")
    write(node.type)
    writeDefault(node.defaultValue)
    write(node.directives)
    mark(node.range.end)
  }

  private mutating func write(_ node: EnumValueDefinition) {
    writeDescription(node.description, before: nextToken(after: node.description))
    write(node.name, quoting: ["true", "false", "null"])
    write(node.directives)
    mark(node.range.end)
  }
}

extension TypeDefinition.Kind {
  /// The word that starts a definition of the kind.
  package var keyword: String {
    switch self {
    case .scalar: "scalar"
    case .object: "type"
    case .interface: "interface"
    case .union: "union"
    case .enum: "enum"
    case .inputObject: "input"
    }
  }
}
