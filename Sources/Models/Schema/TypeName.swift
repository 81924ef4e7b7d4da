/// The name that a Swift type has in the schema language: `A.B` is `A_B`, `G<User>` is `G_User`.
func schemaName(of type: Any.Type) -> String {
  var name = ""
  var text = Substring(String(reflecting: type))
  appendName(&text, to: &name)
  return name
}

/// Reads a qualified name up to a comma, the end of a list of arguments, or the end.
private func appendName(_ text: inout Substring, to name: inout String) {
  var parts: [String] = []
  var part = ""
  var arguments: [String] = []
  loop: while let first = text.first {
    text.removeFirst()
    switch first {
    case ".":
      parts.append(part)
      part = ""
    case "(": part += context(&text)
    case "<":
      repeat {
        if text.first == "," || text.first == " " { text = text.drop { $0 == "," || $0 == " " } }
        var argument = ""
        appendName(&text, to: &argument)
        arguments.append(argument)
      } while text.first == ","
      if text.first == ">" { text.removeFirst() }
    case ">", ",":
      text = Substring(String(first) + text)
      break loop
    default: part.append(first.isLetter && first.isASCII || first.isNumber && first.isASCII ? first : "_")
    }
  }
  parts.append(part)
  // The module says nothing within one program.
  if parts.count > 1 { parts.removeFirst() }
  name += (parts.filter { !$0.isEmpty } + arguments).joined(separator: "_")
}

/// What stands in parentheses: the name of a private type, or the place of a local one, which is left out.
private func context(_ text: inout Substring) -> String {
  let end = text.firstIndex(of: ")") ?? text.endIndex
  let inside = text[..<end]
  text = end < text.endIndex ? text[text.index(after: end)...] : ""
  if inside.hasPrefix("unknown context") { return "" }
  return String(inside.prefix { $0 != " " })
}
