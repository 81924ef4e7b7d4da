import Foundation

/// A way to write what an entity knows of a relation.
public enum RelationEncodingStrategy: Sendable, Hashable, CaseIterable {
  /// Writes as servers do: entities as objects, ids as `{"id": x}`, and `null` for what is not known as well as for no
  /// target. Whether entities are fragments, or some of the targets only, is not written.
  case plain
  /// So that reading it by the same strategy gives the same back: what is not known is left out, `null` is no target,
  /// ids are bare, fragments and slices are marked by `$fragment` and `$slice`, and no entities at all by `$relation`.
  case exact
  /// Objects whose key says what they hold: `id`, `object`, `ids`, `objects`. No target is `{"id": null}`.
  case keyedContainer
  /// The same, with `slice_ids` and `slice` for some of the targets only.
  case explicitKeyedContainer
}

/// A set of the forms in which relations may come. They are tried from the most explicit one to the plain one.
public struct RelationDecodingStrategy: OptionSet, Sendable, Hashable {
  /// A bit for each form.
  public let rawValue: Int
  /// A set by its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Reads what ``RelationEncodingStrategy/plain`` writes. What is no relation at all says nothing.
  public static let plain = Self(rawValue: 1)
  /// Reads what ``RelationEncodingStrategy/exact`` writes; a relation whose key is missing is not known.
  public static let exact = Self(rawValue: 2)
  /// Reads what ``RelationEncodingStrategy/keyedContainer`` writes.
  public static let keyedContainer = Self(rawValue: 4)
  /// Reads what ``RelationEncodingStrategy/explicitKeyedContainer`` writes.
  public static let explicitKeyedContainer = Self(rawValue: 8)
}

extension CodingUserInfoKey {
  /// Under which an encoder has its ``RelationEncodingStrategy``.
  public static let relationEncodingStrategy = make("GQLiteModels.relationEncodingStrategy")
  /// Under which a decoder has its ``RelationDecodingStrategy``.
  public static let relationDecodingStrategy = make("GQLiteModels.relationDecodingStrategy")
  /// What answers to queries are decoded with: there a relation that was not asked for has no key.
  static let isAnswer = make("gqlite.answer")

  private static func make(_ name: String) -> Self {
    guard let key = Self(rawValue: name) else { preconditionFailure("any text is a key") }
    return key
  }
}

extension Encoder {
  /// Says how relations are written; plainly where nothing was said.
  public var relationEncodingStrategy: RelationEncodingStrategy {
    userInfo[.relationEncodingStrategy] as? RelationEncodingStrategy ?? .plain
  }
}

extension Decoder {
  /// Says how relations are read; plainly where nothing was said.
  public var relationDecodingStrategy: RelationDecodingStrategy {
    userInfo[.relationDecodingStrategy] as? RelationDecodingStrategy ?? .plain
  }

  /// Whether a relation may have no key.
  var allowsMissingRelations: Bool {
    relationDecodingStrategy.contains(.exact) || userInfo[.isAnswer] as? Bool == true
  }
}

extension JSONEncoder {
  /// Says how relations are written; plainly where nothing was said.
  public var relationEncodingStrategy: RelationEncodingStrategy {
    get { userInfo[.relationEncodingStrategy] as? RelationEncodingStrategy ?? .plain }
    set { userInfo[.relationEncodingStrategy] = newValue }
  }

  /// A new encoder of many lines, with sorted keys.
  public static var prettyPrinting: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension JSONDecoder {
  /// Says how relations are read; plainly where nothing was said.
  public var relationDecodingStrategy: RelationDecodingStrategy {
    get { userInfo[.relationDecodingStrategy] as? RelationDecodingStrategy ?? .plain }
    set { userInfo[.relationDecodingStrategy] = newValue }
  }
}

extension Encodable {
  /// The value as JSON on many lines; nil if it cannot be encoded.
  public func prettyDescription(with encoder: JSONEncoder = .prettyPrinting) -> String? {
    (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }
}
