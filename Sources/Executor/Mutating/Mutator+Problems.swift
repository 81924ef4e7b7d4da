import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// What is refused, in the words of the document and the schema.
extension Mutator {
  func problem(
    _ kind: MutationProblem.Kind, at place: RecordStage.Origin, column: ColumnID? = nil
  ) -> MutationProblem {
    problem(kind, at: sources[place.start], column: column)
  }

  func problem(_ refused: StoreProblem, at place: RecordStage.Origin) -> MutationProblem {
    problem(refused, at: sources[place.start])
  }

  func problem(_ kind: MutationProblem.Kind, at source: InputSource, column: ColumnID? = nil) -> MutationProblem {
    switch source {
    case .range(let range): return MutationProblem(kind, at: range)
    case .document(let range, let cells):
      let cell = column.flatMap { column in cells.first { $0.column == column } }
      return MutationProblem(kind, at: cell?.range ?? range)
    case .variable(let parameter, var path):
      if column != nil, let name = columnName(kind) { path.append(.member(name)) }
      let (range, name) = parameters(parameter)
      return MutationProblem(kind, at: range, path: ValuePathStep.text(of: name, path))
    }
  }

  private func parameters(_ index: Int) -> (SourceRange, String) {
    guard let parameters = program?.mutation.constants.parameters, parameters.indices.contains(index) else {
      return (SourceRange(at: 0), "")
    }
    return (parameters[index].range, parameters[index].name)
  }

  private func columnName(_ kind: MutationProblem.Kind) -> String? {
    switch kind {
    case .uniqueViolation(_, let fields, _, _): fields.first
    case .missingValue(_, let field, _): field
    default: nil
    }
  }

  /// What the store refuses, in the words of the schema.
  func problem(_ refused: StoreProblem, at source: InputSource) -> MutationProblem {
    switch refused {
    case .uniqueViolation(let index, let existing, _):
      let descriptor = catalog[index]
      let type = catalog[descriptor.type]
      let columns = descriptor.columns.map { type[type[$0].foldedFrom ?? $0] }
      return problem(
        .uniqueViolation(
          type: type.name, fields: columns.map(\.name),
          values: columns.map { value(descriptor.type, existing, $0) },
          existing: identity(descriptor.type, existing)),
        at: source, column: columns.first?.id)
    case .denied(let relation, let row):
      let place = place(catalog[relation], row)
      return problem(.deleteDenied(type: place.type, entity: place.entity, field: place.field), at: source)
    case .requiredReference(let relation, let row):
      let place = place(catalog[relation], row)
      return problem(.requiredReference(type: place.type, entity: place.entity, field: place.field), at: source)
    // Of bulks only; a mutation links one by one.
    case .contradiction(let found):
      let place = place(catalog[found.relation], found.row)
      return problem(.requiredReference(type: place.type, entity: place.entity, field: place.field), at: source)
    case .tooManyRows(let type):
      return problem(.tooLarge("'\(catalog[type].name)' has more entities than the store can hold"), at: source)
    case .textTooLong(let type, let column):
      return problem(
        .tooLarge(
          "'\(catalog[type].name).\(catalog[type][column].name)' is longer than \(TextView.maximumLength) bytes"),
        at: source)
    case .stopped:
      let reason = stopReason ?? RuntimeProblem(.cancelled, at: SourceRange(at: 0))
      return MutationProblem(.runtime(reason), at: reason.range)
    }
  }

  /// The name of a relation's field, `contact.person` inside an embedded object.
  func name(_ relation: Relation) -> String {
    relation.property == nil ? "a relation" : catalog[relation.source][relation.column].name
  }

  /// The entity and the field that a link of a row belongs to: of an element of a list, its owner's.
  func place(_ relation: Relation, _ row: UInt32) -> (type: String, entity: String, field: String) {
    var (type, row, field) = (relation.source, row, name(relation))
    while catalog[type].isElement {
      // What has no field of its own and leads to one is the way from an element to its owner.
      let owner = catalog.relations.first {
        $0.source == type && $0.property == nil && !$0.isToMany
          && transaction.column(type, $0.column).reference(row) != PageLayout.noRow
      }
      guard let owner else { break }
      row = transaction.column(type, owner.column).reference(row)
      field = "\(name(catalog[owner.inverse])).\(field)"
      type = owner.target
    }
    return (catalog[type].name, identity(type, row), field)
  }

  /// The id of an entity, as people write it.
  func identity(_ type: EntityTypeID, _ row: UInt32) -> String {
    let entity = catalog[type]
    guard !entity.indexes.isEmpty else { return "?" }
    return catalog[entity.primaryIndex].columns
      .map { value(type, row, entity[entity[$0].foldedFrom ?? $0]) }.joined(separator: ", ")
  }

  /// A value of an entity as JSON.
  private func value(_ type: EntityTypeID, _ row: UInt32, _ column: ColumnDescriptor) -> String {
    let reader = transaction.column(type, column.id)
    if reader.isNull(row) { return "null" }
    return json(reader.cell(row, kind: column.kind), column.type)
  }

  func json(_ cell: Cell, _ type: ValueType) -> String {
    excerpt(of: cell, type: type, catalog: catalog).string
  }
}
