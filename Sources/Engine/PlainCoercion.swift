import GQLBase
import GQLCatalog
import GQLQuery

/// Coercion of the variables that most runs have to values, by which a plan is found, without a tree between: what it does
/// not know it leaves to the binder.
enum PlainCoercion {
  /// The parameters' values in order; nil if any needs a closer look (or is wrong, which the binder then says).
  @inline(__always)
  static func coerce(
    _ variables: [String: Value], _ parameters: [BoundParameter], now: Int64?
  ) -> [GQLCatalog.Value?]? {
    if parameters.isEmpty { return variables.isEmpty ? [] : nil }
    var values: [GQLCatalog.Value?] = []
    values.reserveCapacity(parameters.count)
    var hidden = 0
    for index in parameters.indices {
      switch parameters[index].source {
      case .variable: break
      case .now:
        values.append(.dateTime(now ?? WallClock.now))
        hidden += 1
        continue
      case .folded, .input: return nil
      case .newRow:
        values.append(nil)
        hidden += 1
        continue
      }
      guard let value = variables[parameters[index].name] else { return nil }
      if case .list(let elements) = value, case .list(let type) = parameters[index].signature.type {
        guard let coerced = list(elements, type) else { return nil }
        values.append(coerced)
        continue
      }
      guard let coerced = coerce(value, parameters[index].signature.type) else { return nil }
      values.append(coerced)
    }
    return variables.count + hidden == parameters.count ? values : nil
  }

  /// Elements that are null are the binder's to judge.
  private static func list(_ elements: [Value], _ type: ValueType) -> GQLCatalog.Value? {
    var values: [GQLCatalog.Value] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      guard let coerced = coerce(element, type) else { return nil }
      values.append(coerced)
    }
    return .list(values)
  }

  @inline(__always)
  static func coerce(_ value: Value, _ type: ValueType) -> GQLCatalog.Value? {
    guard case .scalar(let scalar) = type else { return nil }
    switch (value, scalar) {
    case (.int(let number), .int): return .int(number)
    case (.int(let number), .float): return FloatCodec.read(integer: number).map { .float($0) }
    case (.double(let number), .float): return FloatCodec.read(real: number).map { .float($0) }
    case (.number(var digits), .float): return digits.withUTF8 { FloatCodec.read($0) }.map { .float($0) }
    case (.bool(let flag), .boolean): return .boolean(flag)
    case (.string(let text), .string) where text.utf8.count <= GQLCatalog.Value.longestText: return .string(Text(text))
    case (.string(let text), .id) where text.utf8.count <= GQLCatalog.Value.longestText:
      return .id(Text(text), isNumber: false)
    case (.string(var text), .dateTime): return text.withUTF8 { DateTimeCodec.read($0) }.map { .dateTime($0) }
    case (.int(let number), .id): return .id(digits(number), isNumber: true)
    default: return nil
    }
  }

  /// The decimal digits, without a `String` between: this is what most lookups by id pay.
  private static func digits(_ number: Int64) -> Text {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
      var start = 20
      var rest = number.magnitude
      repeat {
        start -= 1
        buffer[start] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
        rest /= 10
      } while rest > 0
      if number < 0 {
        start -= 1
        buffer[start] = 0x2D
      }
      // Safe because 20 bytes hold a sign and the 19 digits of any Int64, so `start` is never negative.
      guard let base = buffer.baseAddress else { return Text() }
      return Text(base + start, 20 - start)
    }
  }
}
