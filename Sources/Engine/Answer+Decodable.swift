#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Answer {
  /// Decodes the whole answer: `struct Page: Decodable { var User: [Person] }`.
  ///
  /// A `Date` property reads a `DateTime` (RFC 3339), or, within `JSON`, a number as Foundation's encoders write it: of
  /// seconds since 2001. A `Data` property reads `Bytes` (base64), a `Duration` property, or one that is an array of them, a
  /// `Duration`, where the compiler writes the decoding.
  ///
  /// - Throws: `DecodingError`, as the standard library's decoders do.
  public func decode<Result: Decodable>(_ type: Result.Type = Result.self) throws -> Result {
    try Answer.decoder().decode(type, from: Data(utf8))
  }

  /// Decodes the value of one root field: `answer.decode([Person].self, at: "User")`.
  ///
  /// - Throws: `DecodingError`; `.keyNotFound` if the answer has no such field.
  public func decode<Result: Decodable>(_ type: Result.Type = Result.self, at key: String) throws -> Result {
    let decoder = Answer.decoder()
    if let name = rootKey { decoder.userInfo[name] = key }
    return try decoder.decode(RootField<Result>.self, from: Data(utf8)).value
  }

  private static func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    if let name = answerKey { decoder.userInfo[name] = true }
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      if let seconds = try? container.decode(Double.self) { return Date(timeIntervalSinceReferenceDate: seconds) }
      let text = try container.decode(String.self)
      guard let microseconds = DateTimeText.microseconds(text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no date")
      }
      return Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
    return decoder
  }
}

/// Where ``Answer/decode(_:at:)`` leaves the name of the member for its decoder.
private let rootKey = CodingUserInfoKey(rawValue: "gqlite.root")

/// Tells types that an answer is decoded, which has only what was asked for.
let answerKey = CodingUserInfoKey(rawValue: "gqlite.answer")

/// One member of the answer's object, by a key that is known at run time only.
private struct RootField<Value: Decodable>: Decodable {
  struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
  let value: Value

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let name = rootKey.flatMap { decoder.userInfo[$0] as? String } ?? ""
    value = try container.decode(Value.self, forKey: Key(stringValue: name))
  }
}
