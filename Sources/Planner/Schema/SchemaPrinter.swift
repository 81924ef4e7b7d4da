import GQLBase
import GQLCatalog
import GQLParser

/// The canonical SDL of a catalog: building it again gives an equal catalog (but for its version).
package func printSchema(_ catalog: Catalog) -> String {
  var printer = SchemaPrinter()
  for (index, definition) in schemaDefinitions(of: catalog).enumerated() {
    if index > 0 { printer.text += "\n" }
    printer.print(definition)
  }
  return printer.text
}

private struct SchemaPrinter {
  var text = ""

  mutating func print(_ definition: TypeDefinition) {
    print(definition.description, indent: "")
    text += definition.kind == .enum ? "enum " : "type "
    print(definition.name)
    print(definition.directives)
    text += " {\n"
    for value in definition.values {
      text += "  "
      print(value.name)
      text += "\n"
    }
    for field in definition.fields {
      print(field.description, indent: "  ")
      text += "  "
      print(field.name)
      text += ": "
      print(field.type)
      if let value = field.defaultValue {
        text += " = "
        print(value)
      }
      print(field.directives)
      text += "\n"
    }
    text += "}\n"
  }

  private mutating func print(_ description: StringLiteral?, indent: String) {
    guard let description else { return }
    text += indent
    quote(description.value)
    text += "\n"
  }

  private mutating func print(_ name: Name) {
    let isPlain = name.text.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case 0x41...0x5A, 0x61...0x7A, 0x5F: true
      case 0x30...0x39: index > 0
      default: false
      }
    }
    text += isPlain && !name.text.isEmpty ? name.text : "`\(name.text)`"
  }

  private mutating func print(_ type: TypeReference) {
    switch type {
    case .named(let name): print(name)
    case .list(let inner, _):
      text += "["
      print(inner)
      text += "]"
    case .nonNull(let inner, _):
      print(inner)
      text += "!"
    }
  }

  private mutating func print(_ directives: [Directive]) {
    for directive in directives {
      text += " @\(directive.name.text)"
      guard !directive.arguments.isEmpty else { continue }
      text += "("
      for (index, argument) in directive.arguments.enumerated() {
        if index > 0 { text += ", " }
        text += "\(argument.name.text): "
        print(argument.value)
      }
      text += ")"
    }
  }

  private mutating func print(_ value: Expression) {
    switch value.kind {
    case .int(let digits), .float(let digits): text += digits
    case .string(let literal): quote(literal.value)
    case .boolean(let value): text += value ? "true" : "false"
    case .name(let name): print(name)
    case .list(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        print(element)
      }
      text += "]"
    case .object(let fields):
      text += "{"
      for (index, field) in fields.enumerated() {
        if index > 0 { text += ", " }
        print(field.name)
        text += ": "
        print(field.value)
      }
      text += "}"
    case .call(let name, _): text += "\(name.text)()"
    default: text += "null"
    }
  }

  private mutating func quote(_ string: String) {
    var buffer = ByteBuffer()
    buffer.append(json: string)
    text += buffer.string
  }
}
