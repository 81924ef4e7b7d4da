import GQLBase
import GQLBinder
import GQLCatalog
import GQLQuery

/// The operations of texts of one shape, the newest last.
///
/// Where two texts of the shape differ in literals that conditions compare with columns, one operation serves them and
/// others like them: these literals are its parameters. This is proved on two texts: with parameters in their places,
/// both must be bound to the same query. Whatever else depends on such a literal shows as a difference there.
struct ShapedOperations: Sendable {
  /// A literal that is a parameter.
  struct Slot: Sendable {
    /// Its place among the text's literals.
    var literal: Int
    var parameter: BoundParameter
    /// Of a limit or an offset, how many bits the number may have: plans for other sizes differ.
    var bits: Int?
  }
  private struct Variant: Sendable {
    /// The operation that serves the shape's texts that have the variant's literals where they are no slots.
    var operation: PreparedOperation
    var literals: [[UInt8]]
    var slots: [Slot]
    /// The query of the text that it was made from, with its literals as constants.
    var query: BoundQuery
    var ranges: [SourceRange]
    var values: [Value?]
  }
  private var variants: [Variant] = []
  /// How many texts gave no operation that serves others.
  private var failures = 0
  private static let keptVariants = 4
  private static let mostFailures = 8

  /// Returns an operation that serves a text, and the values of its literals by the names of parameters.
  func find(
    _ shape: TextShape, _ source: SourceText, _ catalog: Catalog
  ) -> (operation: PreparedOperation, values: [String: Value])? {
    for variant in variants.reversed() {
      if let values = values(variant, shape, source, catalog) { return (variant.operation, values) }
    }
    return nil
  }

  private func values(
    _ variant: Variant, _ shape: TextShape, _ source: SourceText, _ catalog: Catalog
  ) -> [String: Value]? {
    var values: [String: Value] = [:]
    var next = 0
    for (index, literal) in shape.literals.enumerated() {
      if next < variant.slots.count, variant.slots[next].literal == index {
        let slot = variant.slots[next]
        next += 1
        guard let value = literal.value(source), Self.accepts(slot, value, catalog) else { return nil }
        values[slot.parameter.name] = value
      } else if !source.bytes[Int(literal.range.start)..<Int(literal.range.end)].elementsEqual(variant.literals[index])
      {
        return nil
      }
    }
    return values
  }

  private static func accepts(_ slot: Slot, _ value: Value, _ catalog: Catalog) -> Bool {
    if let bits = slot.bits {
      guard case .int(let number) = value else { return false }
      return bitCount(number) == bits
    }
    return coerce(value, slot.parameter, catalog) != nil
  }

  private static func bitCount(_ number: Int64) -> Int { Int64.bitWidth - number.leadingZeroBitCount }

  private static func coerce(_ value: Value, _ parameter: BoundParameter, _ catalog: Catalog) -> GQLCatalog.Value? {
    if let plain = PlainCoercion.coerce(value, parameter.signature.type) { return plain }
    guard let raw = value.raw() else { return nil }
    let coerced = coerceVariables([parameter.name: .raw(raw)], for: [parameter], catalog: catalog)
    return coerced.hasErrors ? nil : coerced.output.first ?? nil
  }

  /// Keeps the operation of a text that none served, and makes one that serves others of the shape where that can be.
  mutating func add(
    _ operation: PreparedOperation, _ query: BoundQuery, _ shape: TextShape, _ source: SourceText, _ catalog: Catalog
  ) {
    var variant = Variant(
      operation: operation,
      literals: shape.literals.map { Array(source.bytes[Int($0.range.start)..<Int($0.range.end)]) }, slots: [],
      query: query, ranges: shape.literals.map(\.range), values: shape.literals.map { $0.value(source) })
    if failures < Self.mostFailures, let index = variants.lastIndex(where: { merge($0, into: &variant, catalog) }) {
      let older = variants[index].slots.map { [$0.literal, $0.bits ?? 0] }
      let isOfOtherSize =
        !older.isEmpty && older.map(\.first) == variant.slots.map(\.literal)
        && older != variant.slots.map { [$0.literal, $0.bits ?? 0] }
      // One for each size of a limit.
      if !isOfOtherSize { variants.remove(at: index) }
    } else {
      failures += 1
    }
    if variants.count >= Self.keptVariants { variants.removeFirst() }
    variants.append(variant)
  }

  /// Makes the literals in which two variants differ parameters of the newer one; false where that cannot be.
  private func merge(_ older: Variant, into newer: inout Variant, _ catalog: Catalog) -> Bool {
    let known = Set(older.slots.map(\.literal))
    let varying = newer.literals.indices.filter { known.contains($0) || older.literals[$0] != newer.literals[$0] }
    guard !varying.isEmpty, newer.literals.count == older.literals.count,
      let before = parameterized(older, varying, catalog), let after = parameterized(newer, varying, catalog),
      printed(before.query, catalog) == printed(after.query, catalog)
    else { return false }
    // Of literals that are written differently and are one value it would not show what else hangs on them.
    for (number, literal) in varying.enumerated() where older.literals[literal] != newer.literals[literal] {
      if before.constants[number] == after.constants[number] { return false }
    }
    let counts = Self.counts(of: after.query)
    newer.slots = varying.enumerated().map { number, literal in
      let place = newer.query.parameters.count + number
      let bits: Int? =
        if counts.contains(place), case .int(let number)? = newer.values[literal] { Self.bitCount(number) } else { nil }
      return Slot(literal: literal, parameter: after.parameters[number], bits: bits)
    }
    newer.operation = PreparedOperation(
      document: newer.operation.document, operation: newer.operation.operation, query: after.query)
    return true
  }

  /// The whole query, without the places of its text.
  private func printed(_ query: BoundQuery, _ catalog: Catalog) -> String {
    BoundPrinter.text(query, catalog: catalog, shownElements: .max)
  }

  /// The query of a variant with parameters in the places of some of its literals, and these parameters.
  private func parameterized(
    _ variant: Variant, _ varying: [Int], _ catalog: Catalog
  ) -> (query: BoundQuery, parameters: [BoundParameter], constants: [GQLCatalog.Value])? {
    let places = varying.map { LiteralPlace(range: variant.ranges[$0], name: "literal \($0)") }
    guard let replaced = variant.query.replacingConstants(at: places, catalog) else { return nil }
    var parameters: [BoundParameter] = []
    for (number, literal) in varying.enumerated() {
      guard let parameter = replaced.query.parameters.first(where: { $0.name == places[number].name }),
        let value = variant.values[literal], Self.coerce(value, parameter, catalog) == replaced.constants[number]
      else { return nil }
      parameters.append(parameter)
    }
    return (replaced.query, parameters, replaced.constants)
  }

  /// The parameters that are limits and offsets.
  private static func counts(of query: BoundQuery) -> Set<Int> {
    var found: Set<Int> = []
    for set in query.sets {
      for case .parameter(let slot)? in [set.limit?.kind, set.offset?.kind] { found.insert(slot) }
    }
    return found
  }
}
