import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// The arguments by which one entity is found: `user(id: "7")`.
struct KeyBinder {
  let binder: Binder

  private var catalog: Catalog { binder.catalog }

  /// A unique index, with the names of the fields that are its key.
  private struct Key {
    var index: IndexID
    var names: [String]

    /// Returns whether arguments give just these fields.
    func isGiven(by arguments: [Argument]) -> Bool {
      names.allSatisfy { name in arguments.contains { $0.name.text == name } }
        && arguments.allSatisfy { names.contains($0.name.text) }
    }
  }

  /// Returns the unique index whose fields the arguments name, with its key; nil where that is reported as wrong.
  func source(
    _ arguments: [Argument], of name: Name, _ type: EntityTypeID, _ environment: Environment
  ) -> BoundSet.Source? {
    let keys = keys(of: type)
    let (given, isWhole) = known(arguments, of: name, type, keys)
    guard let key = keys.first(where: { $0.isGiven(by: given) }) else {
      if isWhole { binder.reportMissingKey(of: name, type, keys.map(\.names)) }
      return nil
    }
    var values: [BoundExpression] = []
    for (column, field) in zip(catalog[key.index].columns, key.names) {
      guard let argument = given.first(where: { $0.name.text == field }) else { return nil }
      let descriptor = catalog[type][column]
      let operand = binder.bindOperand(argument.value, environment)
      guard let value = binder.coerce(operand, to: descriptor.type, environment, at: argument.value.range) else {
        return nil
      }
      values.append(descriptor.foldedFrom == nil ? value : binder.fold(value))
    }
    return .key(key.index, values)
  }

  private func keys(of type: EntityTypeID) -> [Key] {
    var keys: [Key] = []
    for index in catalog[type].indexes where catalog[index].isUnique {
      let names = catalog[index].columns.map { catalog[type][catalog[type][$0].foldedFrom ?? $0].name }
      keys.append(Key(index: index, names: names))
    }
    return keys
  }

  /// Returns the arguments that are fields of keys, each once, and whether all are. Others are reported.
  private func known(
    _ arguments: [Argument], of name: Name, _ type: EntityTypeID, _ keys: [Key]
  ) -> (given: [Argument], isWhole: Bool) {
    // A few, so that no table of them is made.
    let known = keys.flatMap(\.names)
    var given: [Argument] = []
    var isWhole = true
    for argument in arguments {
      if !known.contains(argument.name.text) {
        isWhole = false
        binder.report(
          .unknownArgument(
            name: argument.name.text, of: name.text, near: binder.suggest(argument.name, known)),
          binder.remedy(forKeyArgument: argument, of: name, type, among: arguments), at: argument.name.range)
      } else if let place = given.firstIndex(where: { $0.name.text == argument.name.text }) {
        given[place] = argument
        isWhole = false
        binder.report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
      } else {
        given.append(argument)
      }
    }
    return (given, isWhole)
  }
}
