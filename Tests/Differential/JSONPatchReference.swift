/// RFC 6902 by the letter, over trees of JSON whose scalars stay as they are written.
package indirect enum JSONReference: Equatable {
  case object([(key: String, value: JSONReference)])
  case array([JSONReference])
  case scalar(String)

  package static func == (left: JSONReference, right: JSONReference) -> Bool { left.text == right.text }

  package struct Failure: Error { package var message: String }

  package init(_ text: String) throws {
    var bytes = Array(text.utf8)[...]
    self = try Self.read(&bytes)
    guard bytes.isEmpty else { throw Failure(message: "more than one value") }
  }

  private static func read(_ bytes: inout ArraySlice<UInt8>) throws -> JSONReference {
    guard let first = bytes.first else { throw Failure(message: "no value") }
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      bytes.removeFirst()
      var members: [(key: String, value: JSONReference)] = []
      while let next = bytes.first, next != UInt8(ascii: "}"), next != UInt8(ascii: "]") {
        if next == UInt8(ascii: ",") { bytes.removeFirst() }
        var key = ""
        if first == UInt8(ascii: "{") {
          key = String(word(&bytes).dropFirst().dropLast())
          bytes.removeFirst()
        }
        members.append((key, try read(&bytes)))
      }
      guard bytes.popFirst() != nil else { throw Failure(message: "no end") }
      return first == UInt8(ascii: "{") ? .object(members) : .array(members.map(\.value))
    default: return .scalar(word(&bytes))
    }
  }

  private static func word(_ bytes: inout ArraySlice<UInt8>) -> String {
    var result: [UInt8] = []
    let isText = bytes.first == UInt8(ascii: "\"")
    while let byte = bytes.first {
      if !isText, [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte) { break }
      result.append(bytes.removeFirst())
      if isText, byte == UInt8(ascii: "\\"), let escaped = bytes.popFirst() { result.append(escaped) }
      if isText, byte == UInt8(ascii: "\""), result.count > 1 { break }
    }
    return String(decoding: result, as: UTF8.self)
  }

  package var text: String {
    switch self {
    case .scalar(let text): text
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\"\($0.key)\":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  private subscript(_ key: String) -> JSONReference? {
    if case .object(let members) = self { members.first { $0.key == key }?.value } else { nil }
  }

  /// Applies the operations of a patch, in order.
  package mutating func apply(_ patch: JSONReference) throws {
    guard case .array(let operations) = patch else { throw Failure(message: "a patch is a list") }
    for operation in operations {
      guard case .scalar(let kind)? = operation["op"], case .scalar(let written)? = operation["path"] else {
        throw Failure(message: "no operation: \(operation.text)")
      }
      let path = written.dropFirst().dropLast().split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        .map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
      try change(path[...], kind, operation["value"])
    }
  }

  private mutating func change(_ path: ArraySlice<String>, _ kind: String, _ value: JSONReference?) throws {
    guard let step = path.first else {
      guard kind == "\"replace\"", let value else { throw Failure(message: "\(kind) of the whole") }
      self = value
      return
    }
    let isLast = path.count == 1
    switch self {
    case .scalar: throw Failure(message: "nothing lies at \(step)")
    case .array(var elements):
      guard let place = Int(step), place >= 0, place < elements.count + (isLast && kind == "\"add\"" ? 1 : 0) else {
        throw Failure(message: "no element \(step) of \(elements.count)")
      }
      switch (isLast, kind, value) {
      case (false, _, _): try elements[place].change(path.dropFirst(), kind, value)
      case (true, "\"add\"", let value?): elements.insert(value, at: place)
      case (true, "\"replace\"", let value?): elements[place] = value
      case (true, "\"remove\"", nil): elements.remove(at: place)
      default: throw Failure(message: "no operation \(kind)")
      }
      self = .array(elements)
    case .object(var members):
      let place = members.firstIndex { $0.key == step }
      switch (isLast, kind, value, place) {
      case (false, _, _, let place?): try members[place].value.change(path.dropFirst(), kind, value)
      case (true, "\"add\"", let value?, nil): members.append((step, value))
      case (true, "\"replace\"", let value?, let place?): members[place].value = value
      case (true, "\"remove\"", nil, let place?): members.remove(at: place)
      default: throw Failure(message: "no operation \(kind) of \(step)")
      }
      self = .object(members)
    }
  }
}
