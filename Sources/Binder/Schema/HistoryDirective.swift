import GQLCatalog
import GQLParser

/// `@history(for:, versions:)` on types, and `@history(off: true)` on their fields.
enum HistoryDirective {
  /// Returns how long old values are kept; nil where nothing says so. What is wrong is reported, and is no limit.
  private static func rule(in list: [Directive], _ builder: inout SchemaBuilder) -> HistoryRule? {
    guard let directive = builder.directives("history", of: list).first else { return nil }
    var rule = HistoryRule()
    if let written = builder.argument("for", of: directive), let text = builder.string("for", of: directive) {
      rule.duration = HistoryRule.duration(text)
      if rule.duration == nil {
        let expected = "a duration that is longer than nothing, as \"P5Y\" or \"P90D\""
        builder.wrong(written, of: directive, expected: expected)
      } else {
        rule.durationText = text
      }
    }
    if let written = builder.argument("versions", of: directive) {
      if case .int(let digits) = written.value.kind, let count = Int64(digits), (1...Int64(Int32.max)).contains(count) {
        rule.versions = count
      } else {
        builder.wrong(written, of: directive, expected: "a whole number from 1 to \(Int32.max)")
      }
    }
    return rule
  }

  /// Notes what the directives of a type and of its fields say. Fields of the key, by which entities of the past are found,
  /// cannot be out of the history.
  static func apply(_ definition: TypeDefinition, to entity: inout EntityType, _ builder: inout SchemaBuilder) {
    entity.history = rule(in: definition.directives, &builder)
    checkNames(definition, entity, &builder)
    if !definition.fields.contains(where: { $0.directives.contains { $0.name.text == "history" } }) { return }
    var places: [String: Int] = [:]
    for (place, property) in entity.properties.enumerated() { places[property.name] = place }
    for field in definition.fields {
      // The second of two fields of one name was reported and left out.
      guard let place = places.removeValue(forKey: field.name.text) else { continue }
      let isOff = isOff(field, &builder)
      if isOff, entity.idProperties.contains(PropertyID(place)) {
        guard let directive = field.directives.first(where: { $0.name.text == "history" }),
          let written = builder.argument("off", of: directive)
        else { continue }
        builder.wrong(written, of: directive, expected: "false, because the field is part of the key")
      } else {
        entity.properties[place].isOutOfHistory = isOff
      }
    }
  }

  /// Warns of fields whose names versions have.
  private static func checkNames(
    _ definition: TypeDefinition, _ entity: EntityType, _ builder: inout SchemaBuilder
  ) {
    let names = entity.history == nil ? ["_version"] : VersionCatalog.fieldNames
    for field in definition.fields where field.name.text.hasPrefix("_") {
      if field.name.text == VersionCatalog.listName || names.contains(field.name.text) {
        builder.report(.versionName(field.name.text), at: field.name.range)
      }
    }
    if definition.name.text == VersionCatalog.changesName {
      builder.report(.versionName(VersionCatalog.changesName), at: definition.name.range)
    }
  }

  /// Returns whether a field is as it is now in every past.
  private static func isOff(_ field: FieldDefinition, _ builder: inout SchemaBuilder) -> Bool {
    guard let directive = builder.directives("history", of: field.directives).first else { return false }
    guard let written = builder.argument("off", of: directive) else {
      builder.report(.missingDirectiveArgument(directive: "history", argument: "off"), at: directive.name.range)
      return false
    }
    guard case .boolean(let isOff) = written.value.kind else {
      builder.wrong(written, of: directive, expected: "true or false")
      return false
    }
    return isOff
  }
}
