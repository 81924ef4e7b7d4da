/// A way to merge a value that comes with the one that is there.
public struct MergeStrategy<Value> {
  /// Nil for what just takes the new value, so that the old one need not be read.
  let merging: ((_ old: Value, _ new: Value) -> Value)?

  init(merging: ((_ old: Value, _ new: Value) -> Value)?) { self.merging = merging }

  /// A strategy of the program.
  public init(merge: @escaping (_ old: Value, _ new: Value) -> Value) { merging = merge }

  /// One strategy behind the other: each gets the old value, and what the one before it made of the new one.
  public init(_ strategies: MergeStrategy<Value>...) { self.init(all: strategies) }

  init(all strategies: [MergeStrategy<Value>]) {
    let mergings = strategies.compactMap(\.merging)
    merging =
      mergings.isEmpty ? nil : { old, new in mergings.reduce(new) { result, merging in merging(old, result) } }
  }

  /// Returns what becomes of an old and a new value.
  public func merge(_ old: Value, new: Value) -> Value { merging?(old, new) ?? new }

  /// Takes the new value.
  public static var replace: Self { Self(merging: nil) }

  /// Takes the new value of an optional property, or the old one where that is nil.
  public static func patch<Wrapped>(_ path: WritableKeyPath<Value, Wrapped?>) -> Self {
    let reader = PathReader(path)
    return Self(merge: { old, new in
      // What leads to nothing has nothing to be filled.
      guard reader.leads(from: new), new[keyPath: path] == nil else { return new }
      var new = new
      new[keyPath: path] = reader.read(old) ?? nil
      return new
    })
  }

  /// Puts the new elements of a list behind the old ones.
  public static func append<Element>(_ path: WritableKeyPath<Value, [Element]>) -> Self {
    let reader = PathReader(path)
    return Self(merge: { old, new in
      guard reader.leads(from: new), let first = reader.read(old) else { return new }
      var new = new
      new[keyPath: path] = first + new[keyPath: path]
      return new
    })
  }

  /// Puts the new elements of a list behind the old ones; nil if there is none.
  public static func append<Element>(_ path: WritableKeyPath<Value, [Element]?>) -> Self {
    let reader = PathReader(path)
    return Self(merge: { old, new in
      guard reader.leads(from: new) else { return new }
      var new = new
      let all = ((reader.read(old) ?? nil) ?? []) + (new[keyPath: path] ?? [])
      new[keyPath: path] = all.isEmpty ? nil : all
      return new
    })
  }
}

extension MergeStrategy where Value: EntityModelProtocol {
  /// Merges as the type says: ``EntityModelProtocol/defaultMergeStrategy``.
  public static var `default`: Self { Value.defaultMergeStrategy }
  /// Merges as the type says: ``EntityModelProtocol/fragmentMergeStrategy``.
  public static var fragment: Self { Value.fragmentMergeStrategy }
}

extension MergeStrategy where Value: _OptionalValue {
  /// Takes the new value, or the old one where that is nil.
  public static func patch() -> Self { Self(merge: { old, new in new._isMissing ? old : new }) }
}
