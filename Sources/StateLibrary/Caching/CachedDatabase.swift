/// A memory of values by their paths.
public protocol DatabaseCache {
  /// Returns the value of a path, if it is there.
  func get<Value: DatabaseValue>(_ path: Path) -> Value?
  /// Notes the value of a path.
  func set<Value: DatabaseValue>(_ value: Value, for path: Path)
  /// Forgets the value of a path.
  func remove(_ path: Path)
}

extension DatabaseCache {
  /// Forgets nothing: a ``CachedDatabase`` notes each value that it changes.
  public func remove(_ path: Path) {}
}

/// A database that reads from a cache first.
///
/// What is changed past it, in the database or by text, is not seen until the cache has forgotten the old value. GQLite's
/// own databases are as quick as a cache.
public final class CachedDatabase: Database {
  /// The database that is read where the cache has nothing.
  public let wrapped: any Database
  private let cache: any DatabaseCache

  /// A database with a cache before another one.
  public init(wrapping wrapped: any Database, cache: any DatabaseCache) {
    (self.wrapped, self.cache) = (wrapped, cache)
  }

  /// Returns the value of a path, which is in the cache then.
  public func get<Value: DatabaseValue>(_ path: Path) -> Value? {
    if let value: Value = cache.get(path) { return value }
    guard let value: Value = wrapped.get(path) else { return nil }
    cache.set(value, for: path)
    return value
  }

  /// Writes the value of a path to the database. The cache has what the database has made of it.
  public func set<Value: DatabaseValue>(_ value: Value, for path: Path) {
    wrapped.set(value, for: path)
    note(value, path, isReset: false)
  }

  /// Notes what the database has made of a value, which may be the old one.
  private func note<Value: DatabaseValue>(_ value: Value, _ path: Path, isReset: Bool) {
    cache.remove(path)
    if let stored: Value = wrapped.get(path) {
      cache.set(stored, for: path)
    } else if isReset {
      cache.set(value, for: path)
    }
  }

  /// Writes several values to the database. The cache has what the database has made of them.
  @discardableResult
  public func apply(_ changes: [DatabaseChange]) -> Bool {
    let isWritten = wrapped.apply(changes)
    for change in changes { note(change.value, change.path, isReset: isWritten && change.isReset) }
    return isWritten
  }

  /// Returns what `predicate` makes of the instances of a model, from the database.
  public func all<T>(model: ModelKey, where predicate: (InstanceKey, InstanceStatus) -> T?) -> [T] {
    wrapped.all(model: model, where: predicate)
  }

  /// Notes a model in the database.
  public func register<Model: ModelProtocol>(_ model: Model.Type) { wrapped.register(model) }
}

/// A cache of the values that were used last, up to a number of them.
public final class MaximumCountCache: DatabaseCache {
  private struct Entry {
    var path: Path
    var value: any DatabaseValue
    var newer: Int
    var older: Int
  }

  /// The most values that it holds.
  public let maxCount: Int
  private var places: [Path: Int] = [:]
  private var entries: [Entry] = []
  private var free: [Int] = []
  /// Places of entries; -1 for none.
  private var newest = -1
  private var oldest = -1

  /// A cache of up to a number of values.
  public init(maxCount: Int) { self.maxCount = max(0, maxCount) }

  /// The values that it holds.
  public var count: Int { places.count }

  /// Returns the value of a path, if it is there.
  public func get<Value: DatabaseValue>(_ path: Path) -> Value? {
    guard let place = places[path], let value = entries[place].value as? Value else { return nil }
    unlink(place)
    link(place)
    return value
  }

  /// Notes the value of a path, and forgets the one that was not used longest where there are too many.
  public func set<Value: DatabaseValue>(_ value: Value, for path: Path) {
    if maxCount == 0 { return }
    if let place = places[path] {
      entries[place].value = value
      unlink(place)
      link(place)
      return
    }
    if places.count == maxCount { remove(entries[oldest].path) }
    let entry = Entry(path: path, value: value, newer: -1, older: -1)
    let place = free.popLast() ?? entries.count
    if place == entries.count { entries.append(entry) } else { entries[place] = entry }
    places[path] = place
    link(place)
  }

  /// Forgets the value of a path.
  public func remove(_ path: Path) {
    guard let place = places.removeValue(forKey: path) else { return }
    unlink(place)
    entries[place].value = false
    free.append(place)
  }

  private func link(_ place: Int) {
    entries[place].older = newest
    entries[place].newer = -1
    if newest >= 0 { entries[newest].newer = place }
    newest = place
    if oldest < 0 { oldest = place }
  }

  private func unlink(_ place: Int) {
    let (newer, older) = (entries[place].newer, entries[place].older)
    if newer >= 0 { entries[newer].older = older } else { newest = older }
    if older >= 0 { entries[older].newer = newer } else { oldest = newer }
  }
}
