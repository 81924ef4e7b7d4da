import GQLBase
import GQLCatalog

/// A lookup of one key in an index.
struct LookupForm: AccessForm {
  let index: IndexID
  let keys: [BoundExpression]

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String { catalog.lookupName(index) }

  func text(_ printer: PathPrinter) -> String { "\(name(.natural, printer.catalog)) == \(printer.list(keys))" }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    guard let index = set.index(index, catalog) else { return ["looks into an index of another type"] }
    return keys.count == index.columns.count ? [] : ["looks up \(keys.count) of \(index.columns.count) key columns"]
  }

  func rows(_ known: KnownValues) -> Double {
    let values = keys.compactMap { known.value($0) }
    return values.count == keys.count ? known.rows(index, KeyRange(equal: values)) : 0
  }
}

/// Lookups of several keys in an index.
struct LookupEachForm: AccessForm {
  let index: IndexID
  let keys: [BoundExpression]

  func name(_ order: OrderMethod, _ catalog: Catalog) -> String { catalog.lookupName(index) }

  func text(_ printer: PathPrinter) -> String {
    let name = name(.natural, printer.catalog)
    let values = keys.map { printer.key($0) }
    if keys.count == 1, case .list = keys[0].type { return "\(name) in \(values[0])" }
    let shown = values.prefix(8).joined(separator: ", ") + (values.count > 8 ? ", … \(values.count - 8) more" : "")
    return "\(name) in [\(shown)]"
  }

  func problems(_ set: BoundSet, _ catalog: Catalog) -> [String] {
    guard let index = set.index(index, catalog) else { return ["looks into an index of another type"] }
    return index.columns.count == 1 ? [] : ["looks up single values in a compound index"]
  }

  func rows(_ known: KnownValues) -> Double {
    var total = 0.0
    for key in keys {
      switch known.value(key) {
      case .list(let elements)?:
        // Evenly spread samples of a long list stand for the others.
        let step = max(1, (elements.count + 15) / 16)
        var sampled = 0.0
        for place in stride(from: 0, to: elements.count, by: step) {
          sampled += known.rows(index, KeyRange(equal: [elements[place]]))
        }
        total += sampled * Double(step)
      case .some(let single) where !single.isNull: total += known.rows(index, KeyRange(equal: [single]))
      default: break
      }
    }
    return total
  }
}

extension Catalog {
  /// Returns the words of a lookup without its keys.
  fileprivate func lookupName(_ id: IndexID) -> String {
    let index = self[id]
    return "\(index.isPrimary ? "Primary" : index.isUnique ? "Unique" : index.kind.facts.planName) "
      + columnNames(of: index)
  }
}
