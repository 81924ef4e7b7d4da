import Foundation

// Types print without the name of the module that they are compiled in, which is not the one that programs import.

extension Relation: CustomStringConvertible {
  /// The ids of the targets that are known: `[1, 2]`, `1`, `null` for none, `none` where nothing is known.
  public var description: String {
    guard let ids = asked.knownIDs else { return "none" }
    let texts = ids.map { "\($0)" }
    return Cardinality._isToMany ? "[\(texts.joined(separator: ", "))]" : texts.first ?? "null"
  }
}

extension Relationship: CustomStringConvertible {
  /// The ids of the targets that are known; see ``Relation/description``.
  public var description: String { projectedValue.description }
}

extension Deleted: CustomStringConvertible {
  /// The entity, as deleted.
  public var description: String { "Deleted(\(entity))" }
}

extension Context: CustomStringConvertible {
  /// The types and how many entities they have: `Context(User: 2, Chat: 0)`.
  public var description: String {
    "Context(\(storage.current?.countText ?? ""))"
  }
}

extension JSON: CustomStringConvertible {
  /// The value as compact JSON, with sorted keys; `null` for a number that is not finite.
  public var description: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }
}

extension DeleteRule: CustomStringConvertible {
  /// The case's name.
  public var description: String {
    switch self {
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }
}

extension RelationEncodingStrategy: CustomStringConvertible {
  /// The case's name.
  public var description: String {
    switch self {
    case .plain: "plain"
    case .exact: "exact"
    case .keyedContainer: "keyedContainer"
    case .explicitKeyedContainer: "explicitKeyedContainer"
    }
  }
}

extension RelationDecodingStrategy: CustomStringConvertible {
  /// The names of the forms: `[plain, exact]`.
  public var description: String {
    let all: [(Self, String)] = [
      (.plain, "plain"), (.exact, "exact"), (.keyedContainer, "keyedContainer"),
      (.explicitKeyedContainer, "explicitKeyedContainer"),
    ]
    return "[\(all.filter { contains($0.0) }.map(\.1).joined(separator: ", "))]"
  }
}

extension EntityMetadata: CustomStringConvertible {
  /// Tells when the entity was saved last.
  public var description: String { "updatedAt: \(updatedAt)" }
}

extension FetchResultsCollection: CustomStringConvertible {
  /// Counts the entities; none is read.
  public var description: String { "FetchResultsCollection(count: \(count))" }
}

extension UniqueKeyPath: CustomStringConvertible {
  /// The index's name.
  public var description: String { name }
}

extension _IndexMarker: CustomStringConvertible {
  /// `_IndexMarker`.
  public var description: String { "IndexMarker" }
}

extension _IndexAttribute {
  /// The wrapper's name, without the entity: `HashIndex`.
  public var description: String { String("\(Self.self)".prefix { $0 != "<" }) }
}

// MARK: - Errors

extension ModelError: LocalizedError {
  /// The sentence, which is what `localizedDescription` returns.
  public var errorDescription: String? { description }
}

extension Errors: LocalizedError {
  /// The sentence, which is what `localizedDescription` returns.
  public var errorDescription: String? { description }
}

extension UniqueConstraintViolation: LocalizedError {
  /// The sentence, which is what `localizedDescription` returns.
  public var errorDescription: String? { description }
}
