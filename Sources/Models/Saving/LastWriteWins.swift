extension MergeStrategy {
  /// Takes the value that is later by a property, the old one if they are equal; the strategies then fill it from the
  /// other one.
  public static func lastWriteWins<Key: Comparable>(
    _ strategies: MergeStrategy<Value>..., comparedBy path: KeyPath<Value, Key>
  ) -> Self {
    let reader = PathReader(path)
    return lastWriteWins(strategies) { old, new in _NilFirst(reader.read(old)) < _NilFirst(reader.read(new)) }
  }

  /// Takes the value that is later by an optional property, where nil is before all others, and the old one if they are
  /// equal; the strategies then fill it from the other one.
  public static func lastWriteWins<Key: Comparable>(
    _ strategies: MergeStrategy<Value>..., comparedBy path: KeyPath<Value, Key?>
  ) -> Self {
    let reader = PathReader(path)
    return lastWriteWins(strategies) { old, new in
      _NilFirst(reader.read(old) ?? nil) < _NilFirst(reader.read(new) ?? nil)
    }
  }

  fileprivate static func lastWriteWins(
    _ strategies: [MergeStrategy<Value>], _ isLater: @escaping (_ old: Value, _ new: Value) -> Bool
  ) -> Self {
    let fill = MergeStrategy(all: strategies)
    return Self(merge: { old, new in isLater(old, new) ? fill.merge(old, new: new) : fill.merge(new, new: old) })
  }
}

extension MergeStrategy where Value: Comparable {
  /// Takes the greater value, the old one if they are equal; the strategies then fill it from the other one.
  public static func lastWriteWins(_ strategies: MergeStrategy<Value>...) -> Self {
    lastWriteWins(strategies) { old, new in old < new }
  }
}

// The old entity was stored, which rounds durations, and dates in lists. So that an entity that is saved twice is a tie,
// the new one is compared as it will be stored.

extension MergeStrategy where Value: EntityModelProtocol {
  /// Takes the entity that is later by a property, the old one if they are equal; the strategies then fill it from the
  /// other one. The property is compared as it is stored.
  public static func lastWriteWins<Key: Comparable>(
    _ strategies: MergeStrategy<Value>..., comparedBy path: KeyPath<Value, Key>
  ) -> Self {
    let reader = PathReader(path)
    return lastWriteWins(strategies) { old, new in _NilFirst(reader.read(old)) < _NilFirst(reader.read(new.asStored)) }
  }

  /// Takes the entity that is later by an optional property, where nil is before all others, and the old one if they are
  /// equal; the strategies then fill it from the other one. The property is compared as it is stored.
  public static func lastWriteWins<Key: Comparable>(
    _ strategies: MergeStrategy<Value>..., comparedBy path: KeyPath<Value, Key?>
  ) -> Self {
    let reader = PathReader(path)
    return lastWriteWins(strategies) { old, new in
      _NilFirst(reader.read(old) ?? nil) < _NilFirst(reader.read(new.asStored) ?? nil)
    }
  }
}

extension MergeStrategy where Value: EntityModelProtocol & Comparable {
  /// Takes the greater entity, the old one if they are equal; the strategies then fill it from the other one. They are
  /// compared as they are stored.
  public static func lastWriteWins(_ strategies: MergeStrategy<Value>...) -> Self {
    lastWriteWins(strategies) { old, new in old < new.asStored }
  }
}

extension EntityModelProtocol {
  /// As it is read when it was saved, without relations; itself if it cannot be saved, which its save tells.
  fileprivate var asStored: Self {
    guard let mapping = (try? ModelSchema.make(for: [Self.self]))?.mapping(of: Self.self) else { return self }
    let stage = SaveStage()
    let record = stage.add(mapping)
    let (cells, valid) = stage.cells(record)
    var writer = EntityWriter<Self>(mapping.layout, cells, valid, stage.memory)
    guard (try? write(to: &writer)) != nil else { return self }
    if !writer.opaques.isEmpty { stage.setOpaques(record, writer.opaques) }
    return withExtendedLifetime(stage) {
      var reader = EntityReader<Self>(mapping.layout, stage.source(record))
      return (try? Self(from: &reader)) ?? self
    }
  }
}
