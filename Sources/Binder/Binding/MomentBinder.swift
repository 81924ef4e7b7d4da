import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// `@asOf` on an operation and on its fields.
///
/// Fields of one moment are a part of the operation with sets of its own, which runs on that version.
struct MomentBinder {
  let binder: Binder

  /// Binds the fields of a query, those of the past as parts of their own.
  func bindFields(_ operation: OperationDefinition) {
    let source = SelectionSource(set: operation.selectionSet, environment: Environment())
    let whole = operation.directives.first { $0.name.text == "asOf" }
    let moment = whole.flatMap { boundMoment($0, Environment()) }
    binder.withSiblings([source]) {
      var parts: [(moment: BoundMoment?, entries: [MergedEntry])] = []
      for var merged in binder.collect([source], of: .root) {
        var own = moment
        if let directive = merged.first.directives.first(where: { $0.name.text == "asOf" }) {
          own = boundMoment(directive, merged.first.environment)
        }
        if merged.entries.contains(where: { $0.directives.contains { $0.name.text == "asOf" } }) {
          checkMoments(merged)
          merged.entries = merged.entries.map { $0.without("asOf") }
        }
        if let last = parts.last, last.moment == own {
          parts[parts.count - 1].entries.append(merged)
        } else {
          parts.append((own, [merged]))
        }
      }
      guard parts.contains(where: { $0.moment != nil }) else {
        binder.query.fields = binder.rootFields(parts.flatMap(\.entries))
        return
      }
      binder.query.segments = parts.map { moment, entries in
        binder.versionRefusal = moment == nil ? nil : .versionsOfPast
        let part = binder.part { $0.rootFields(entries) }
        return moment.map { .past($0, part) } ?? .query(part)
      }
      binder.versionRefusal = nil
      binder.query.segments = binder.query.segments.map { $0.completed(as: binder.query) }
    }
    binder.finishPaging()
    finishChangeRanges()
  }

  /// Binds the version or the time that `@asOf` names, a value over parameters.
  private func boundMoment(_ directive: Directive, _ environment: Environment) -> BoundMoment? {
    let names = ["time", "version"]
    var given: [Argument] = []
    for argument in directive.arguments {
      guard names.contains(argument.name.text) else {
        let near = binder.suggest(argument.name, names)
        binder.report(.unknownArgument(name: argument.name.text, of: "@asOf", near: near), at: argument.name.range)
        continue
      }
      given.append(argument)
    }
    guard let argument = given.first, given.count == 1 else {
      if given.count > 1 || directive.arguments.isEmpty {
        binder.report(.momentNotOne(isMissing: given.isEmpty), at: given.last?.name.range ?? directive.range)
      }
      return nil
    }
    return moment(argument.value, isVersion: argument.name.text == "version", environment)
  }

  /// Returns a version or a time, a value over parameters; nil where it is reported as none.
  func moment(_ value: Expression, isVersion: Bool, _ environment: Environment) -> BoundMoment? {
    constant(value, .scalar(isVersion ? .int : .dateTime), environment).map {
      BoundMoment(isVersion: isVersion, constants: $0, range: value.range)
    }
  }

  /// Returns a value over parameters; nil where it is reported as none of the type.
  func constant(_ value: Expression, _ type: ValueType, _ environment: Environment) -> BoundQuery? {
    var isBound = false
    let constants = binder.constants { binder in
      let operand = binder.bindOperand(value, environment.withoutElements)
      guard let value = binder.coerce(operand, to: type, environment, at: value.range) else { return }
      isBound = true
      _ = binder.values.add(value)
    }
    return isBound ? constants : nil
  }

  /// Completes what the lists of changes must have: parameters are known when the operation is bound.
  private func finishChangeRanges() {
    guard let ranges = binder.query.changeRanges else { return }
    binder.query.changeRanges = ranges.map { range in
      var range = range
      range.bounds = range.bounds.map { bound in
        var bound = bound
        complete(&bound.moment.constants)
        return bound
      }
      if var types = range.types {
        complete(&types)
        range.types = types
      }
      return range
    }
  }

  private func complete(_ constants: inout BoundQuery) {
    constants.parameters = binder.query.parameters
    constants.itemCount = binder.query.itemCount
  }

  /// Checks that a field which appears several times is of one version.
  private func checkMoments(_ merged: MergedEntry) {
    for entry in merged.entries.dropFirst() where binder.walks(entry) != binder.walks(merged.first) {
      binder.report(
        .conflictingFields(key: merged.key, first: merged.first.key.range, reason: .arguments), at: entry.key.range)
    }
  }

  /// Reports that no field of a mutation is of the past, and returns the field as one of the newest version.
  func refusing(_ merged: MergedEntry) -> MergedEntry {
    for directive in merged.first.directives where directive.name.text == "asOf" {
      binder.report(.pastOfMutation, at: directive.range)
    }
    return MergedEntry(key: merged.key, entries: merged.entries.map { $0.without("asOf") })
  }
}
