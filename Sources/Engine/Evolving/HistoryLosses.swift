import GQLCatalog
import GQLStore

/// The histories that end, or begin again, with another schema.
struct HistoryLosses {
  private(set) var effects: [SchemaChange.Effect] = []

  /// - Parameters:
  ///   - old: The data under the schema before.
  ///   - mapping: Types before and now.
  init(from old: Snapshot, to catalog: Catalog, _ mapping: CatalogMapping) {
    let kept = HistoryTypes(old.catalog)
    if !kept.isAny { return }
    // The time counts for values only.
    let histories = HistoryMapping(from: old.catalog, to: catalog, at: 0)
    var lost: Set<Int> = []
    // Elements of lists, and what stands for entities in interfaces, come after the entities that they belong to.
    let types = old.catalog.types.filter { kept[Int($0.id.index)] != nil }
    for type in types.filter({ $0.kind == .entity }) + types.filter({ $0.kind != .entity }) {
      let number = Int(type.id.index)
      if kept[number]?.owners.contains(where: { lost.contains($0.type) }) ?? false {
        lost.insert(number)
        continue
      }
      let present = old.liveCount(type.id) + old.deletedCount(type.id)
      // Those that are in the past only.
      let count = present > 0 ? present : old.slotCount(type.id)
      if count == 0 { continue }
      guard let new = mapping.newTypes[number].map({ catalog[$0] }), new.kind == type.kind else {
        // Entities that are lost are named with their type.
        if present == 0, type.kind == .entity { add(type.name, count, false, "type '\(type.name)' is removed") }
        continue
      }
      if histories.types.indices.contains(Int(new.id.index)), histories.types[Int(new.id.index)] != nil { continue }
      lost.insert(number)
      let isKept = new.history != nil || type.kind != .entity
      add(
        new.name, count, type.isElement,
        isKept ? "the history of type '\(new.name)' begins again" : "type '\(new.name)' does not keep its old values")
    }
  }

  private mutating func add(_ name: String, _ count: Int, _ isElement: Bool, _ change: String) {
    let noun = isElement ? "object" : count == 1 ? "entity" : "entities"
    let entities = "\(count) \(noun)\(isElement && count != 1 ? "s" : "")"
    effects.append(
      SchemaChange.Effect(
        name: name, count: count, message: "\(change): the past of \(entities) would be lost",
        help: "a history goes on where '@history', relations and the types of fields stay"))
  }
}
