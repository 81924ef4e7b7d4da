import GQLBase

/// A choice of how later answers of a live query are told.
public enum LiveMode: String, Sendable, Hashable, CaseIterable {
  /// Each as a whole.
  case full = "FULL"
  /// As the differences from the last answer that the subscriber took.
  case diff = "DIFF"
}

/// A change of the answer of a live query, or its first answer.
public struct LiveEvent: Sendable, Hashable {
  /// A form in which an answer is told.
  public enum Content: Sendable, Hashable {
    /// The whole answer.
    case answer(Answer)
    /// A patch that leads from the last answer that the subscriber took to this one.
    case patch(JSONPatch)
    /// An error of the run. The query goes on, and a later answer is told as a whole.
    case error(QueryError)
  }

  /// The number of the last transaction that the answer has in it; see ``Database/version``.
  public let version: Int64
  /// The answer, or what has become of it.
  public let content: Content

  /// The whole answer; nil where it is told otherwise.
  public var answer: Answer? { if case .answer(let answer) = content { answer } else { nil } }
  /// The differences from the last answer that was taken; nil where it is told otherwise.
  public var patch: JSONPatch? { if case .patch(let patch) = content { patch } else { nil } }
  /// The error of a run; nil for an answer.
  public var error: QueryError? { if case .error(let error) = content { error } else { nil } }

  /// The event as one line of JSON: `{"version":8,"data":…}`, `{"version":8,"patch":[…]}` or
  /// `{"version":8,"errors":[…]}`.
  public var jsonLine: String { String(decoding: utf8, as: UTF8.self) }

  /// The event as one line of JSON in UTF-8; see ``jsonLine``.
  public var utf8: [UInt8] {
    var line = ByteBuffer(capacity: 256)
    line.append(#"{"version":"#)
    line.append(int: version)
    switch content {
    case .answer(let answer):
      line.append(#","data":"#)
      line.append(answer.utf8)
    case .patch(let patch):
      line.append(#","patch":"#)
      line.append(patch.utf8)
    case .error(let error):
      line.append(#","errors":["#)
      line.append(utf8: error.jsonLines.split(separator: "\n").joined(separator: ","))
      line.append(0x5D)
    }
    line.append(0x7D)
    return line.takeArray()
  }
}

/// A list of operations that lead from one answer to another: a JSON Patch, RFC 6902.
public struct JSONPatch: Sendable, Hashable {
  /// The operations as a JSON list in UTF-8.
  public let utf8: [UInt8]

  /// The operations as a JSON list.
  public var jsonString: String { String(decoding: utf8, as: UTF8.self) }

  init(utf8: [UInt8]) { self.utf8 = utf8 }

  /// Finds the operations that lead from one answer to another.
  public init(from old: Answer, to new: Answer) { utf8 = JSONDifference.patch(from: old.utf8, to: new.utf8) }
}

extension JSONPatch: CustomStringConvertible {
  /// The operations as a JSON list.
  public var description: String { jsonString }
}
