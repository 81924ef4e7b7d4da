import GQLModels
import GQLStore
import GQLCatalog
import GQLWriting

/// A change in the form of the store, made before anybody waits for it.
struct StagedChange {
  enum Kind {
    case status(InstanceStatus)
    /// A cell, null for nil.
    case value(Cell?)
    /// The property has no value of its own any more.
    case reset
  }

  /// The numbers that a schema can give.
  private static let numbers = 1...Int(Int32.max)

  let path: Path
  let kind: Kind
  let type: ValueType
  let typeText: String
  /// Holds the memory that the cell points to.
  private let memory: StagingArena

  init(_ change: DatabaseChange) throws(StateError) {
    let path = change.path
    guard Self.numbers.contains(path.model), path.property == .instanceId || Self.numbers.contains(path.property) else {
      throw StateError(
        code: "number-out-of-range", "numbers of models and properties are from 1 to \(Self.numbers.upperBound)", path)
    }
    self.path = path
    memory = StagingArena()
    if path.property == .instanceId {
      guard let status = change.value as? InstanceStatus else {
        throw StateError(code: "wrong-type", "the path of an instance has a status only", path)
      }
      (kind, type, typeText) = (.status(status), .null, "")
      return
    }
    (kind, type, typeText) = try Self.stage(change.value, change.isReset, path, memory)
  }

  private static func stage<Value: DatabaseValue>(
    _ value: Value, _ isReset: Bool, _ path: Path, _ memory: StagingArena
  ) throws(StateError) -> (Kind, ValueType, String) {
    guard let codec = CodecCache.codec(of: Value.self) else {
      throw StateError(code: "not-storable", "\(Value.self) has no column", path)
    }
    if isReset { return (.reset, codec.type, codec.typeText) }
    do {
      return (.value(try codec.cell(of: value, in: memory)), codec.type, codec.typeText)
    } catch {
      throw StateError(code: "not-storable", "\(error)", path)
    }
  }

  /// Indicates whether the property is to have no value of its own.
  var isReset: Bool { if case .reset = kind { true } else { false } }

  /// Indicates whether the value is nil.
  var isNil: Bool { if case .value(nil) = kind { true } else { false } }
}
