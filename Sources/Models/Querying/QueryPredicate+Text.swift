import Foundation
import GQLBase
import GQLCatalog
import GQLPlanner

extension QueryPredicate {
  /// One of the texts contains another.
  public static func string(
    _ paths: KeyPath<Entity, String>..., contains text: String, caseSensitive: Bool = false
  ) -> Self {
    test(.contains, paths, text, caseSensitive)
  }

  /// One of the texts begins with another.
  public static func string(
    _ paths: KeyPath<Entity, String>..., hasPrefix text: String, caseSensitive: Bool = false
  ) -> Self {
    test(.startsWith, paths, text, caseSensitive)
  }

  /// One of the texts ends with another.
  public static func string(
    _ paths: KeyPath<Entity, String>..., hasSuffix text: String, caseSensitive: Bool = false
  ) -> Self {
    test(.endsWith, paths, text, caseSensitive)
  }

  /// None of the texts contains another.
  public static func string(
    _ paths: KeyPath<Entity, String>..., notContains text: String, caseSensitive: Bool = false
  ) -> Self {
    !test(.contains, paths, text, caseSensitive)
  }

  /// None of the texts begins with another.
  public static func string(
    _ paths: KeyPath<Entity, String>..., notHavingPrefix text: String, caseSensitive: Bool = false
  ) -> Self {
    !test(.startsWith, paths, text, caseSensitive)
  }

  /// None of the texts ends with another.
  public static func string(
    _ paths: KeyPath<Entity, String>..., notHavingSuffix text: String, caseSensitive: Bool = false
  ) -> Self {
    !test(.endsWith, paths, text, caseSensitive)
  }

  /// It was saved last within the range.
  public static func updated(within range: ClosedRange<Date>) -> Self {
    let lower = (try? range.lowerBound.microseconds()) ?? .min
    let upper = (try? range.upperBound.microseconds()) ?? .max
    return Self(
      .updated(from: 0, to: 1),
      [
        Parameter(value: .dateTime(lower), type: .scalar(.dateTime)),
        Parameter(value: .dateTime(upper), type: .scalar(.dateTime)),
      ]
    ) { lower <= $1.updatedAt && $1.updatedAt <= upper }
  }

  private static func test(
    _ test: TextTest, _ paths: [KeyPath<Entity, String>], _ text: String, _ isCaseSensitive: Bool
  ) -> Self {
    let wanted = isCaseSensitive ? Array(text.utf8) : folded(text)
    let holds: (Entity, EntityFacts) -> Bool = { entity, _ in
      paths.contains { path in
        let value = isCaseSensitive ? Array(entity[keyPath: path].utf8) : folded(entity[keyPath: path])
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
    return Self(
      .text(test, attributes: attributes, parameter: 0, isCaseSensitive: isCaseSensitive),
      [Parameter(value: .string(Text(wanted)), type: .string)], holds: holds)
  }

  private static func folded(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    Array(text.utf8).withUnsafeBufferPointer { CaseFolding.fold($0, into: &result) }
    return result
  }
}
