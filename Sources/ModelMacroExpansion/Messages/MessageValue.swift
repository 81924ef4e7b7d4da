/// JSON as the compiler and a plug-in exchange it. Objects keep their order, so that answers are the same bytes each time.
///
/// This target has a reader of its own, and not the library's: whatever a macro imports is built a second time, for
/// the machine that compiles, in every client.
package enum MessageValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Int)
  case string(String)
  case array([MessageValue])
  case object([Member])

  package struct Member: Equatable, Sendable {
    package var name: String
    package var value: MessageValue
  }

  package subscript(name: String) -> MessageValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var number: Int? { if case .number(let number) = self { number } else { nil } }
  package var array: [MessageValue]? { if case .array(let elements) = self { elements } else { nil } }

  package static func object(_ members: KeyValuePairs<String, MessageValue>) -> MessageValue {
    .object(members.map { Member(name: $0.key, value: $0.value) })
  }

  // MARK: Writing

  package var bytes: [UInt8] {
    var output: [UInt8] = []
    write(to: &output)
    return output
  }

  private func write(to output: inout [UInt8]) {
    switch self {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .number(let value): output += String(value).utf8
    case .string(let text): MessageValue.write(text, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        MessageValue.write(member.name, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.write(to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to output: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): output += "\\n".utf8
      case 0..<0x20: output += "\\u00".utf8 + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
