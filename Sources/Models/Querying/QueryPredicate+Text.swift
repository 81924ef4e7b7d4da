import GQLBase
import GQLCatalog
import GQLQuery

extension QueryPredicate {
  /// One of the texts contains another.
  public static func string<Property: _TextProperty>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., contains text: String, caseSensitive: Bool = false
  ) -> Self {
    test(.contains, paths, text, caseSensitive)
  }

  /// One of the texts begins with another.
  public static func string<Property: _TextProperty>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., hasPrefix text: String, caseSensitive: Bool = false
  ) -> Self {
    test(.startsWith, paths, text, caseSensitive)
  }

  /// One of the texts ends with another.
  public static func string<Property: _TextProperty>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., hasSuffix text: String, caseSensitive: Bool = false
  ) -> Self {
    test(.endsWith, paths, text, caseSensitive)
  }

  /// None of the texts contains another.
  public static func string<Property: _TextProperty>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., notContains text: String, caseSensitive: Bool = false
  ) -> Self {
    !test(.contains, paths, text, caseSensitive)
  }

  /// None of the texts begins with another.
  public static func string<Property: _TextProperty>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., notHavingPrefix text: String, caseSensitive: Bool = false
  ) -> Self {
    !test(.startsWith, paths, text, caseSensitive)
  }

  /// None of the texts ends with another.
  public static func string<Property: _TextProperty>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., notHavingSuffix text: String, caseSensitive: Bool = false
  ) -> Self {
    !test(.endsWith, paths, text, caseSensitive)
  }

  private static func test<Property: _TextProperty>(
    _ test: TextTest, _ paths: [KeyPath<Entity, Property>], _ text: String, _ isCaseSensitive: Bool
  ) -> Self {
    let wanted = isCaseSensitive ? Array(text.utf8) : folded(text)
    let readers = paths.map { PathReader($0) }
    let holds: (Entity, EntityFacts) -> Bool = { entity, _ in
      readers.contains { reader in
        guard let text = reader.read(entity)?._knownText else { return false }
        let value = isCaseSensitive ? Array(text.utf8) : folded(text)
        return switch test {
        case .contains: value.isEmpty || wanted.isEmpty ? wanted.isEmpty : value.firstRange(of: wanted) != nil
        case .startsWith: value.starts(with: wanted)
        case .endsWith: value.reversed().starts(with: wanted.reversed())
        }
      }
    }
    let info = EntityInfo<Entity>.shared
    let attributes = paths.compactMap { info.key($0)?.attribute }
    guard attributes.count == paths.count else { return Self(nil, holds: holds) }
    let tests = attributes.map { attribute -> Term in
      let text = Term.attribute(.level(0), attribute)
      return .text(test, isCaseSensitive ? text : .fold(text), .parameter(0))
    }
    return Self(
      tests.count == 1 ? tests[0] : .or(tests),
      [Parameter(value: .string(Text(wanted)), type: .string)], holds: holds)
  }

  private static func folded(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    Array(text.utf8).withUnsafeBufferPointer { CaseFolding.fold($0, into: &result) }
    return result
  }
}
