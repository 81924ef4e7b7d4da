import GQLBase

extension Answer {
  /// Decodes the whole answer: `struct Page: Decodable { var User: [Person] }`.
  ///
  /// A `String` property reads an `ID` that is a number, and an integer property one that is a text. A `Date` property
  /// reads a `DateTime` (RFC 3339), or, within `JSON`, a number as Foundation's encoders write it: of seconds since
  /// 2001. A `Data` property reads `Bytes` (base64), a `Duration` property a `Duration`.
  ///
  /// - Throws: `DecodingError`, as the standard library's decoders do.
  public func decode<Result: Decodable>(_ type: Result.Type = Result.self) throws -> Result {
    try AnswerDecoder(value: value).decode(type)
  }

  /// Decodes the value of one root field: `answer.decode([Person].self, at: "User")`.
  ///
  /// - Throws: `DecodingError`; `.keyNotFound` if the answer has no such field.
  public func decode<Result: Decodable>(_ type: Result.Type = Result.self, at key: String) throws -> Result {
    let key = PartKey(stringValue: key)
    return try AnswerDecoder(value: value).container(keyedBy: PartKey.self).decode(type, forKey: key)
  }
}
