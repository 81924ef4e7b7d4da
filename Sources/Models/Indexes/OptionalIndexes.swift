// Indexes over optional properties: nil is a key like others, before all of them.

extension Index {
  /// Over optional properties.
  public init<A: Comparable, each B: Comparable>(
    _ a: KeyPath<Entity, A?>, _ b: repeat KeyPath<Entity, (each B)?>
  ) {}

  /// Over properties of which some are optional.
  public init<A: Comparable, B: Comparable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B?>
  ) {}

  /// Over properties of which some are optional.
  public init<A: Comparable, B: Comparable>(
    _ a: KeyPath<Entity, A?>, _ b: KeyPath<Entity, B>
  ) {}

  /// Over properties of which some are optional.
  public init<A: Comparable, B: Comparable, C: Comparable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>, _ c: KeyPath<Entity, C?>
  ) {}

  /// Over properties of which some are optional.
  public init<A: Comparable, B: Comparable, C: Comparable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B?>, _ c: KeyPath<Entity, C>
  ) {}

  /// Over properties of which some are optional.
  public init<A: Comparable, B: Comparable, C: Comparable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B?>, _ c: KeyPath<Entity, C?>
  ) {}

  /// Over properties of which some are optional.
  public init<A: Comparable, B: Comparable, C: Comparable>(
    _ a: KeyPath<Entity, A?>, _ b: KeyPath<Entity, B>, _ c: KeyPath<Entity, C>
  ) {}

  /// Over properties of which some are optional.
  public init<A: Comparable, B: Comparable, C: Comparable>(
    _ a: KeyPath<Entity, A?>, _ b: KeyPath<Entity, B>, _ c: KeyPath<Entity, C?>
  ) {}

  /// Over properties of which some are optional.
  public init<A: Comparable, B: Comparable, C: Comparable>(
    _ a: KeyPath<Entity, A?>, _ b: KeyPath<Entity, B?>, _ c: KeyPath<Entity, C>
  ) {}
}

extension EntityDescription {
  /// Adds a B-tree over optional properties.
  public mutating func index<A: Comparable, each B: Comparable>(
    _ name: String, _ a: KeyPath<Entity, A?> & Sendable, _ b: repeat KeyPath<Entity, (each B)?> & Sendable
  ) {
    var components = [IndexComponent(a)]
    repeat components.append(IndexComponent(each b))
    addTree(name, components)
  }

  /// Adds a B-tree over properties of which some are optional.
  public mutating func index<A: Comparable, B: Comparable>(
    _ name: String,
    _ a: KeyPath<Entity, A> & Sendable,
    _ b: KeyPath<Entity, B?> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b)])
  }

  /// Adds a B-tree over properties of which some are optional.
  public mutating func index<A: Comparable, B: Comparable>(
    _ name: String,
    _ a: KeyPath<Entity, A?> & Sendable,
    _ b: KeyPath<Entity, B> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b)])
  }

  /// Adds a B-tree over properties of which some are optional.
  public mutating func index<A: Comparable, B: Comparable, C: Comparable>(
    _ name: String,
    _ a: KeyPath<Entity, A> & Sendable,
    _ b: KeyPath<Entity, B> & Sendable,
    _ c: KeyPath<Entity, C?> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b), IndexComponent(c)])
  }

  /// Adds a B-tree over properties of which some are optional.
  public mutating func index<A: Comparable, B: Comparable, C: Comparable>(
    _ name: String,
    _ a: KeyPath<Entity, A> & Sendable,
    _ b: KeyPath<Entity, B?> & Sendable,
    _ c: KeyPath<Entity, C> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b), IndexComponent(c)])
  }

  /// Adds a B-tree over properties of which some are optional.
  public mutating func index<A: Comparable, B: Comparable, C: Comparable>(
    _ name: String,
    _ a: KeyPath<Entity, A> & Sendable,
    _ b: KeyPath<Entity, B?> & Sendable,
    _ c: KeyPath<Entity, C?> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b), IndexComponent(c)])
  }

  /// Adds a B-tree over properties of which some are optional.
  public mutating func index<A: Comparable, B: Comparable, C: Comparable>(
    _ name: String,
    _ a: KeyPath<Entity, A?> & Sendable,
    _ b: KeyPath<Entity, B> & Sendable,
    _ c: KeyPath<Entity, C> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b), IndexComponent(c)])
  }

  /// Adds a B-tree over properties of which some are optional.
  public mutating func index<A: Comparable, B: Comparable, C: Comparable>(
    _ name: String,
    _ a: KeyPath<Entity, A?> & Sendable,
    _ b: KeyPath<Entity, B> & Sendable,
    _ c: KeyPath<Entity, C?> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b), IndexComponent(c)])
  }

  /// Adds a B-tree over properties of which some are optional.
  public mutating func index<A: Comparable, B: Comparable, C: Comparable>(
    _ name: String,
    _ a: KeyPath<Entity, A?> & Sendable,
    _ b: KeyPath<Entity, B?> & Sendable,
    _ c: KeyPath<Entity, C> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b), IndexComponent(c)])
  }
}
