import GQLBase
import GQLCatalog

/// A value before its type is known: what literals, JSON and Swift values have in common.
package indirect enum RawValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  /// Digits with an optional minus.
  case integer(String)
  case real(String)
  case text(Text)
  /// A bare name of a document.
  case name(String)
  case list([RawValue])
  case object([Member])
  /// A value that has its type already.
  case typed(Value)

  package struct Member: Sendable, Hashable {
    package var name: String
    package var value: RawValue
    package init(name: String, value: RawValue) {
      self.name = name
      self.value = value
    }
  }

  package init(_ json: JSONValue) {
    switch json {
    case .null: self = .null
    case .bool(let value): self = .boolean(value)
    case .number(let digits):
      let isInteger = !digits.bytes.contains { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 }
      self = isInteger ? .integer(digits.string) : .real(digits.string)
    case .string(let text): self = .text(text)
    case .array(let elements): self = .list(elements.map { RawValue($0) })
    case .object(let members):
      self = .object(members.map { Member(name: $0.key.string, value: RawValue($0.value)) })
    }
  }

  /// Untyped Swift values lose what the position decides anyway; times, decimals and ids keep their types.
  package init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .int(let value): self = .integer(String(value))
    case .string(let text): self = .text(text)
    case .list(let elements): self = .list(elements.map { RawValue($0) })
    case .object(let members):
      self = .object(members.map { Member(name: $0.name.string, value: RawValue($0.value)) })
    default: self = .typed(value)
    }
  }

  package var isNull: Bool {
    switch self {
    case .null, .typed(.null): true
    default: false
    }
  }

  /// How many values stand in the lists in it.
  package var elementCount: Int {
    switch self {
    case .list(let elements):
      var count = elements.count
      for element in elements { count += element.elementCount }
      return count
    case .object(let members):
      var count = 0
      for member in members { count += member.value.elementCount }
      return count
    case .typed(let value): return value.elementCount
    default: return 0
    }
  }

  /// Whether a number in it is none that can be written.
  var holdsNoNumber: Bool {
    var watch = InterruptionWatch(nil)
    return pathOfNoNumber(&watch) != nil
  }

  /// Where the first number stands that is none that can be written. What it gives once the watch is due says nothing.
  package func pathOfNoNumber(_ watch: inout InterruptionWatch) -> [ValuePathStep]? {
    // A value takes about as long as so many bytes.
    if watch.spend(16) { return nil }
    switch self {
    case .typed(.float(let number)): return number.isFinite ? nil : []
    case .list(let elements):
      for (index, element) in elements.enumerated() {
        if let path = element.pathOfNoNumber(&watch) { return [.index(index)] + path }
      }
    case .object(let members):
      for member in members {
        if let path = member.value.pathOfNoNumber(&watch) { return [.member(member.name)] + path }
      }
    default: break
    }
    return nil
  }

  /// For "found …" in messages.
  package var words: String {
    switch self {
    case .null: "null"
    case .boolean: "a Boolean"
    case .integer: "an Int"
    case .real: "a Float"
    case .text: "a String"
    case .name(let name): "the name '\(name)'"
    case .list: "a list"
    case .object: "an object"
    case .typed(.float(let number)) where !number.isFinite: "no finite number"
    case .typed: "a value of another type"
    }
  }

  /// Compact JSON.
  package func json(into buffer: inout ByteBuffer) {
    switch self {
    case .null: buffer.append("null")
    case .boolean(let value): buffer.append(bool: value)
    case .integer(let digits), .real(let digits): buffer.append(utf8: Text(digits))
    case .text(let text): buffer.append(json: text)
    case .name(let name): buffer.append(json: Text(name))
    case .list(let elements):
      buffer.append(0x5B)
      for (index, element) in elements.enumerated() {
        if index > 0 { buffer.append(0x2C) }
        element.json(into: &buffer)
      }
      buffer.append(0x5D)
    case .object(let members):
      buffer.append(0x7B)
      for (index, member) in members.enumerated() {
        if index > 0 { buffer.append(0x2C) }
        buffer.append(json: Text(member.name))
        buffer.append(0x3A)
        member.value.json(into: &buffer)
      }
      buffer.append(0x7D)
    case .typed(let value):
      switch value {
      case .float(let number): buffer.append(double: number)
      case .decimal(let number): buffer.append(utf8: Text(number.description))
      case .json(let text): buffer.append(utf8: text)
      case .id(let text, _), .uuid(let text): buffer.append(json: text)
      case .dateTime(let count):
        buffer.append(dateTime: count)
      case .date(let count):
        buffer.append(date: count)
      case .duration(let count):
        buffer.append(duration: count)
      case .bytes(let text):
        text.withUnsafeBytes { buffer.append(base64: $0) }
      case .enumeration, .null, .boolean, .int, .string, .list, .object: buffer.append("null")
      }
    }
  }
}
