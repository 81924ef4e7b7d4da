/// What may stand behind a key path to a column without leading elsewhere: `.desc`, and `!` behind an optional.
struct PathEnding {
  let path: AnyKeyPath
  let isDescending: Bool

  /// `.desc` of what is Comparable, and of an optional `!`, `!.desc` and `.desc`.
  static func endings<Value>(of type: Value.Type) -> [PathEnding] {
    let optional = type as? any UnwrappedPath.Type
    return [
      descent(type).map { PathEnding(path: $0, isDescending: true) },
      optional.map { PathEnding(path: $0.unwrapping, isDescending: false) },
      optional?.unwrappedDescent.map { PathEnding(path: $0, isDescending: true) },
      optional?.descent.map { PathEnding(path: $0, isDescending: true) },
    ].compactMap { $0 }
  }

  /// `!`, if the type is an optional.
  static func unwrapping(_ type: Any.Type) -> AnyKeyPath? { (type as? any UnwrappedPath.Type)?.unwrapping }

  fileprivate static func descent<Value>(_ type: Value.Type) -> AnyKeyPath? {
    func descent<Key: Comparable>(_ type: Key.Type) -> AnyKeyPath { \Key.desc }
    return (type as? any Comparable.Type).map { descent($0) }
  }
}

/// The ends of key paths to an optional.
private protocol UnwrappedPath {
  static var unwrapping: AnyKeyPath { get }
  static var unwrappedDescent: AnyKeyPath? { get }
  static var descent: AnyKeyPath? { get }
}

extension Optional: UnwrappedPath {
  fileprivate static var unwrapping: AnyKeyPath { \Self.self! }

  fileprivate static var unwrappedDescent: AnyKeyPath? {
    PathEnding.descent(Wrapped.self).flatMap { unwrapping.appending(path: $0) }
  }

  fileprivate static var descent: AnyKeyPath? {
    func descent<Key: Comparable>(_ type: Key.Type) -> AnyKeyPath { \Key?.desc }
    return (Wrapped.self as? any Comparable.Type).map { descent($0) }
  }
}
