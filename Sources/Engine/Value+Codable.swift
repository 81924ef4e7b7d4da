import GQLBase

extension Value: Codable {
  /// Reads any value of a decoder's format. An answer's and a variable's exact digits are kept.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? AnswerDecoder {
      self = decoder.value
      return
    }
    if let container = try? decoder.container(keyedBy: PartKey.self) {
      self = .object(
        try container.allKeys.map { Member($0.stringValue, try container.decode(Value.self, forKey: $0)) })
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var elements: [Value] = []
      while !container.isAtEnd { elements.append(try container.decode(Value.self)) }
      self = .list(elements)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  /// Writes the value. A number that is neither an `Int64` nor a `Double` is rounded to the nearest `Double`.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: PartKey.self)
      for member in members { try container.encode(member.value, forKey: PartKey(stringValue: member.name)) }
    case .list(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .int(let value): try container.encode(value)
      case .double, .number: try container.encode(double)
      case .string(let value): try container.encode(value)
      case .null, .list, .object: try container.encodeNil()
      }
    }
  }
}
