/// Reads what a key path leads to, and nothing where a `!` finds nil, which would stop the process.
///
/// Unchecked because key paths of properties are immutable.
struct PathReader<Root, Value>: @unchecked Sendable {
  private let path: KeyPath<Root, Value>
  /// Made when the first value is read; nil where the path has an offset, and so neither `?` nor `!`.
  private let way: Guarded<PathWay?>?

  init(_ path: KeyPath<Root, Value>) {
    self.path = path
    way = MemoryLayout<Root>.offset(of: path) == nil ? Guarded(nil) : nil
  }

  /// The value; nil where a `!` finds nil.
  func read(_ root: Root) -> Value? { leads(from: root) ? root[keyPath: path] : Self.missing }

  /// Whether the path ends at a value, so that it can be evaluated.
  func leads(from root: Root) -> Bool {
    guard let way else { return true }
    let found = way.withLock { way in
      let found = way ?? PathWay(path, from: Root.self)
      way = found
      return found
    }
    return found.leads(from: root)
  }

  /// The value of a path that leads nowhere: nil in an optional, too.
  private static var missing: Value? {
    func nothing<Some: EmptyOptional>(_ type: Some.Type) -> Value? { type.nothing as? Value }
    return (Value.self as? any EmptyOptional.Type).flatMap { nothing($0) }
  }
}

/// What leads to the last `!` of a key path.
///
/// Only a key path's description tells what it is made of. What stands before the last `!` is read step by step: the
/// described properties and relations of an entity by their own key paths, what lies in them by reflection. What is
/// computed in between, or reflects itself, is the program's code, and behind it nothing is known.
struct PathWay {
  private enum Step {
    /// A described property or relation of the entity, and all before it.
    case path(AnyKeyPath)
    /// A stored property of a value, or an element of a tuple.
    case property(String)
    /// A `?` or a `!`.
    case unwrap
  }

  /// Empty where nothing is to be looked at.
  private var steps: [Step] = []

  /// Whether a key path leads nowhere where something is nil.
  static func canFail(_ path: AnyKeyPath) -> Bool { path.debugDescription.contains("!") }

  init(_ path: AnyKeyPath, from root: Any.Type) {
    let text = path.debugDescription
    guard let end = text.lastIndex(of: "!"), var rest = Self.components(text[...end], from: root) else { return }
    /// What is reached; nil where that is not known.
    var type: Any.Type? = root
    while let first = rest.first {
      if let (path, length) = type.flatMap({ Self.described($0, rest) }) {
        steps.append(.path(path))
        type = Swift.type(of: path).valueType
        rest = rest.dropFirst(length)
        continue
      }
      rest = rest.dropFirst()
      if first == "?" || first == "!" {
        steps.append(.unwrap)
        type = (type as? any EmptyOptional.Type)?.wrapped
        continue
      }
      guard first == ".", let name = Self.name(&rest) else { return }
      steps.append(.property(name))
      type = nil
    }
  }

  /// The description of a key path without its root.
  private static func components(_ text: Substring, from root: Any.Type) -> Substring? {
    let name = "\\" + String(describing: root)
    return text.hasPrefix(name) ? text.dropFirst(name.count) : nil
  }

  /// What an entity describes that a description begins with, and how long it is there.
  private static func described(_ type: Any.Type, _ rest: Substring) -> (AnyKeyPath, length: Int)? {
    func paths<Entity: EntityModelProtocol>(_ type: Entity.Type) -> [AnyKeyPath] { EntityInfo<Entity>.shared.paths }
    guard let entity = type as? any EntityModelProtocol.Type else { return nil }
    // The longest one, because one may lead into what another leads to.
    return paths(entity).compactMap { path -> (AnyKeyPath, length: Int)? in
      guard let text = components(path.debugDescription[...], from: type), rest.hasPrefix(text) else { return nil }
      return rest.dropFirst(text.count).first.map(".?!".contains) == true ? (path, text.count) : nil
    }.max { $0.length < $1.length }
  }

  /// Whether the key path ends at a value, as far as that is known.
  func leads(from root: Any) -> Bool {
    if steps.isEmpty { return true }
    var value = root
    for step in steps {
      switch step {
      case .path(let path):
        guard let next = value[keyPath: path] else { return true }
        value = next
      case .property(let name):
        guard let next = Self.property(name, of: value) else { return true }
        value = next
      case .unwrap:
        // A `?` may also stand behind what it makes an optional of.
        guard let optional = value as? any _OptionalValue else { continue }
        guard let wrapped = optional._anyValue else { return false }
        value = wrapped
      }
    }
    return true
  }

  /// What a stored property holds; nil if reflection does not find it.
  private static func property(_ name: String, of value: Any) -> Any? {
    if value is any CustomReflectable { return nil }
    var mirror: Mirror? = Mirror(reflecting: value)
    while let current = mirror {
      if let child = current.children.first(where: { $0.label == name }) { return child.value }
      mirror = current.superclassMirror
    }
    return nil
  }

  /// Takes the name of a stored property from the beginning of a text; nil if something else stands there.
  private static func name(_ rest: inout Substring) -> String? {
    let name: Substring
    switch rest.first {
    case nil, "<": return nil
    case "`": name = rest.dropFirst().firstIndex(of: "`").map { rest[...$0] } ?? rest
    // An element of a tuple without a name is called by its number, behind a point.
    case ".": name = "." + rest.dropFirst().prefix { !".?!".contains($0) }
    default: name = rest.prefix { !".?!".contains($0) }
    }
    rest = rest.dropFirst(name.count)
    return String(name)
  }
}

/// An optional, whatever it wraps.
private protocol EmptyOptional {
  static var nothing: Self { get }
  static var wrapped: Any.Type { get }
}
extension Optional: EmptyOptional {
  fileprivate static var nothing: Self { nil }
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}
