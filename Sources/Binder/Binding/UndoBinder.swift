import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// `_undo(version: 815) { _version }`, a field of mutations.
struct UndoBinder {
  let binder: Binder
  func bind(_ entry: SelectionEntry, _ name: Name, _ condition: BoundExpression?) -> BoundUndo? {
    _ = binder.fieldDirectives(entry.directives, over: nil)
    let given = binder.arguments(entry, of: name, among: ["version", "only"])
    var bound = BoundUndo(
      key: entry.key.text, range: name.range,
      constants: BoundQuery(name: nil, catalogVersion: binder.query.catalogVersion))
    guard let version = given["version"] else {
      binder.report(.missingFieldArgument(field: name.text, name: "version"), at: name.range)
      return nil
    }
    bound.constants = binder.constants { binder in
      let operand = binder.bindOperand(version.value, entry.environment)
      if let value = binder.coerce(operand, to: .scalar(.int), entry.environment, at: version.value.range) {
        _ = binder.values.add(value)
      }
      if let condition { bound.condition = binder.values.add(condition) }
    }
    // Null, or a variable whose value is not known yet, is as if it were left out.
    if let only = given["only"]?.value, let word = binder.namedWord(only, entry.environment, .undoExtent) {
      bound.isOfUntouched = word == "UNTOUCHED"
      if word.isEmpty {
        binder.reportWord(only, .undoExtent, expected: "'ALL' or 'UNTOUCHED'", entry.environment)
      } else if !BoundUndo.extents.contains(word) {
        let near = nearestNames(to: word, in: BoundUndo.extents)
        binder.report(.wrongValue(.unknownEnumValue(name: word, type: "UndoExtent", near: near)), at: only.range)
      }
    }
    guard let set = entry.set else { return bound }
    bound.keys = []
    for selection in set.selections {
      if case .field(let node) = selection, node.name.text == "_version", node.arguments.isEmpty,
        node.selectionSet == nil, node.directives.isEmpty
      {
        bound.keys.append((node.alias ?? node.name).text)
      } else if case .field(let node) = selection {
        binder.report(
          .unknownField(name: node.name.text, type: "Undo", near: binder.suggest(node.name, ["_version"])),
          at: node.name.range)
      } else {
        binder.report(.wrongType(found: "this selection", expected: "'_version'"), at: selection.range)
      }
    }
    return bound
  }
}
