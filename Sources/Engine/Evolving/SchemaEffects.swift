import GQLBase
import GQLCatalog
import GQLStore

/// Sentences for what a change of the schema does to the data.
struct SchemaEffects {
  let old: Snapshot
  let new: Snapshot
  let mapping: CatalogMapping
  private let allowance: WorkAllowance
  private(set) var losses: [SchemaChange.Effect] = []
  private(set) var conflicts: [SchemaChange.Effect] = []

  /// Where the allowance ends they are not all.
  init(
    from old: Snapshot, to new: Snapshot, _ mapping: CatalogMapping, _ report: EvolutionReport,
    _ allowance: WorkAllowance
  ) {
    self.allowance = allowance
    self.old = old
    self.new = new
    self.mapping = mapping
    tellRemovedTypes()
    tellRemovedFields()
    for column in report.columns { tell(column) }
    for links in report.links { tell(links) }
    if report.dangling > 0 {
      lose("", report.dangling, "\(Self.count(report.dangling, "link")) to entities that are not there yet")
    }
    for duplicates in report.duplicates { tell(duplicates) }
    for (type, count) in report.keyless {
      let name = new.catalog[type].name
      conflict(
        name, count,
        "\(Self.count(count, "deleted entity", "deleted entities")) of '\(name)' would have no key of their own",
        help: "remove them for good: delete\(name)(…, hard: true)")
    }
  }

  private static func count(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
  }

  private mutating func lose(_ name: String, _ count: Int, _ message: String, verb: String = "would be lost") {
    losses.append(SchemaChange.Effect(name: name, count: count, message: "\(message) \(verb)", help: nil))
  }

  private mutating func conflict(_ name: String, _ count: Int, _ message: String, help: String?) {
    conflicts.append(SchemaChange.Effect(name: name, count: count, message: message, help: help))
  }

  // MARK: - What goes

  private mutating func tellRemovedTypes() {
    for type in old.catalog.types where type.kind == .entity && mapping.newTypes[Int(type.id.index)] == nil {
      let deleted = old.deletedCount(type.id)
      let all = old.liveCount(type.id) + deleted
      guard all > 0 else { continue }
      let note = deleted > 0 ? " (\(deleted) of them deleted)" : ""
      lose(
        type.name, all, "type '\(type.name)' is removed: \(Self.count(all, "entity", "entities"))\(note)")
    }
  }

  private mutating func tellRemovedFields() {
    var told: Set<RelationID> = []
    for field in mapping.removedFields {
      // Both ends hold the same links.
      if let relation = field.relation {
        if told.contains(old.catalog[relation].inverse) { continue }
        told.insert(relation)
      }
      let count =
        field.relation.map { old.linkCount($0, allowance) } ?? old.valueCount(field.type, field.column, allowance)
      guard count > 0 else { continue }
      let noun =
        field.relation.map { old.catalog[old.catalog[$0].target].isElement ? "object" : "link" } ?? "value"
      let change = field.replacement.map { "becomes \($0)" } ?? "is removed"
      lose(field.path, count, "field '\(field.path)' \(change): \(Self.count(count, noun))")
    }
  }

  // MARK: - What changes

  private mutating func tell(_ column: EvolutionReport.Column) {
    guard let source = mapping.columns[Int(column.type.index)][Int(column.column.index)] else { return }
    if let conversion = source.conversion { tellConversion(column, source.path, conversion) }
    if column.missing > 0 {
      conflict(
        source.path, column.missing,
        "field '\(source.path)' must have a value: \(Self.count(column.missing, "entity has", "entities have")) none",
        help: "give the field a default, or give them values before")
    }
  }

  private mutating func tellConversion(
    _ column: EvolutionReport.Column, _ path: String, _ conversion: CatalogMapping.Conversion
  ) {
    var lost = column.lost
    if case .enumeration(let id) = conversion.from.type.innermost,
      case .enumeration(let newID) = conversion.to.type.innermost
    {
      let type = old.catalog[id]
      for (code, count) in column.lostCodes.enumerated() where count > 0 {
        let name = "\(type.name).\(type.values[code])"
        let change =
          type.name == new.catalog[newID].name ? "is removed" : "is no value of '\(new.catalog[newID].name)'"
        lose(name, count, "enum value '\(name)' \(change): \(Self.count(count, "value")) of '\(path)'")
        lost = max(0, lost - count)
      }
    }
    let types = "'\(old.catalog.text(of: conversion.from))' to '\(new.catalog.text(of: conversion.to))'"
    if lost > 0 { lose(path, lost, "field '\(path)' changes from \(types): \(Self.count(lost, "value"))") }
    let isTold = column.lostCodes.contains { $0 > 0 }
    if column.inexact > 0, !isTold {
      lose(
        path, column.inexact, "field '\(path)' changes from \(types): \(Self.count(column.inexact, "value"))",
        verb: "would be another")
    }
  }

  private mutating func tell(_ links: EvolutionReport.Links) {
    let relation = new.catalog[links.relation]
    let path = mapping.linkPaths[Int(links.relation.index)]
    if links.unreachable > 0 {
      lose(
        path, links.unreachable,
        "field '\(path)' leads to '\(new.catalog[relation.target].name)': \(Self.count(links.unreachable, "link"))")
    }
    if links.surplus > 0 {
      lose(path, links.surplus, "field '\(path)' has room for one: \(Self.count(links.surplus, "link"))")
    }
    if links.missing > 0 {
      conflict(
        path, links.missing,
        "field '\(path)' must have a target: \(Self.count(links.missing, "entity has", "entities have")) none",
        help: "give them targets before")
    }
  }

  private mutating func tell(_ duplicates: EvolutionReport.Duplicates) {
    let index = new.catalog[duplicates.index]
    let type = new.catalog[index.type]
    let fields = index.columns.map { type[type[$0].foldedFrom ?? $0] }
    let name = "\(type.name).\(fields.map(\.name).joined(separator: ","))"
    let values = duplicates.samples.map { row in
      fields.map { StoreMessages.show(new.column(type.id, $0.id), row, $0, new.catalog) }.joined(separator: ", ")
    }
    conflict(
      name, duplicates.surplus,
      "'\(name)' is \(index.isPrimary ? "the key" : "unique"): more than one entity has \(values.joined(separator: " or "))",
      help: "\(Self.count(duplicates.surplus, "entity", "entities")) must get another value or be deleted before")
  }
}
