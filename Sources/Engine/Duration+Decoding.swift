import GQLBase

/// Durations of answers to queries, which are texts there. What compilers write for `Codable` types reads them with these.
extension KeyedDecodingContainer {
  /// Reads a duration, in an answer as text too: `PT1.5S`.
  public func decode(_ type: Duration.Type, forKey key: Key) throws -> Duration {
    try isAnswer(key) ? decode(AnswerDuration.self, forKey: key).value : decodeAsWritten(type, forKey: key)
  }

  /// Reads a duration that may be missing, in an answer as text too.
  public func decodeIfPresent(_ type: Duration.Type, forKey key: Key) throws -> Duration? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try decode(type, forKey: key)
  }

  /// Reads durations, in an answer as texts too.
  public func decode(_ type: [Duration].Type, forKey key: Key) throws -> [Duration] {
    try isAnswer(key)
      ? decode([AnswerDuration].self, forKey: key).map(\.value) : decodeAsWritten(type, forKey: key)
  }

  /// Reads durations that may be missing, in an answer as texts too.
  public func decodeIfPresent(_ type: [Duration].Type, forKey key: Key) throws -> [Duration]? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try decode(type, forKey: key)
  }

  private func isAnswer(_ key: Key) -> Bool {
    guard let answerKey else { return false }
    return (try? superDecoder(forKey: key))?.userInfo[answerKey] as? Bool == true
  }

  /// As its own `Codable` says.
  private func decodeAsWritten<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decode(type, forKey: key)
  }
}

/// A duration in an answer: a text or, within JSON, as its own `Codable` writes it.
private struct AnswerDuration: Decodable {
  let value: Duration

  init(from decoder: any Decoder) throws {
    guard let text = try? decoder.singleValueContainer().decode(String.self) else {
      value = try Duration(from: decoder)
      return
    }
    let microseconds = Array(text.utf8).withUnsafeBufferPointer { CivilTime.parseDuration($0) }
    guard let microseconds else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "'\(text)' is no duration"))
    }
    value = .microseconds(microseconds)
  }
}
