/// A reason why a model could not be saved or read.
public enum ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A column holds what the property's type cannot be.
  case unreadable(String)
  /// A value of the type cannot be stored, and why.
  case unwritable(String, String)
  /// A value of the type lacks something that the schema requires, and what.
  case missingValue(String, String)
  /// A number of the type is none that a column can hold, and which.
  case numberOutOfRange(String, String)
  /// An entity would lose a link that it must have; the type that is written, and the loss.
  case requiredReference(String, String)
  /// Integers end at `Int64.max` in columns.
  case integerTooLarge(String)
  /// Decimals have 36 digits in columns.
  case numberTooFine(String)
  /// Infinities, and what is no number, are in no column.
  case numberNotFinite(String)
  /// Not within what a column of times can hold, in seconds since 2001.
  case dateOutOfRange(String)
  /// A text that is longer than the store can hold.
  case textTooLong(bytes: Int)
  /// A type that the context did not know when it was made.
  case unknownType(String)
  /// The types of models make no schema.
  case invalidSchema(String)
  /// A relation's rule forbids to delete the entity.
  case deleteDenied(entity: String, id: String, relation: String)
  /// Hooks go on adding entities to those of a type that are being deleted.
  case endlessDeletion(String)
  /// A hook or a resolver of the type has put another context, or an older copy of it, in the place of the one that it
  /// was given; or, for `Database.update`, the closure of an update has.
  case contextReplaced(String)
  /// The store cannot hold more entities of the type.
  case tooManyEntities(String)
  /// There is no entity of the type that has the id, or it is deleted.
  case noEntity(String, id: String)
  /// The property of the type has no default that it could be set to.
  case noDefault(String, property: String)
  /// A query failed while it ran.
  case failedQuery(String)

  /// A name that ``contextReplaced(_:)`` has in the place of a type where a database was updated.
  package static let update = "Database.update"

  /// One sentence of cause.
  public var description: String {
    switch self {
    case .unreadable(let text): "a stored value cannot be read: \(text)"
    case .unwritable(let type, let text), .missingValue(let type, let text), .numberOutOfRange(let type, let text),
      .requiredReference(let type, let text):
      "a \(type) cannot be stored: \(text)"
    case .integerTooLarge(let digits): "\(digits) is more than a column of integers can hold"
    case .numberTooFine(let digits): "\(digits) has more digits than a column of decimals can hold"
    case .numberNotFinite(let number): "\(number) is no number that a column can hold"
    case .dateOutOfRange(let seconds): "\(seconds) seconds since 2001 are beyond what a column of times can hold"
    case .textTooLong(let bytes): "a text of \(bytes) bytes is longer than a column can hold"
    case .unknownType(let name): "the context does not know the type \(name); give it to Context(for:)"
    case .invalidSchema(let text): "the models make no schema: \(text)"
    case .deleteDenied(let entity, let id, let relation):
      "\(entity) \(id) cannot be deleted while '\(relation)' has entities"
    case .endlessDeletion(let name):
      "deleting entities of the type \(name) comes to no end, because hooks add more that must be deleted with them"
    case .contextReplaced(let name):
      (name == Self.update ? "the closure of an update" : "a hook or a resolver of \(name)")
        + " has put another context in the place of the one that it was given, which it may only change"
    case .tooManyEntities(let name): "there are too many entities of the type \(name)"
    case .noEntity(let type, let id): "there is no \(type) with the id \(id)"
    case .noDefault(let type, let property): "'\(property)' of \(type) has no default"
    case .failedQuery(let text): "the query failed: \(text)"
    }
  }

  /// A code of the fault. It is the one that the same fault has in documents, variables and data.
  public var code: String {
    switch self {
    case .unreadable, .unwritable: "wrong-type"
    case .missingValue: "missing-value"
    case .requiredReference: "required-reference"
    case .integerTooLarge, .numberTooFine, .numberNotFinite, .numberOutOfRange, .dateOutOfRange: "number-out-of-range"
    case .textTooLong, .tooManyEntities: "too-large"
    case .unknownType: "unknown-type"
    case .invalidSchema: "invalid-schema"
    case .deleteDenied: "delete-denied"
    case .endlessDeletion: "endless-deletion"
    case .contextReplaced: "context-replaced"
    case .noEntity: "unknown-id"
    case .noDefault: "missing-value"
    case .failedQuery: "failed-query"
    }
  }
}
