import GQLCatalog
import GQLStore
import GQLWriting

/// The links of a save.
extension Saver {
  /// Adds the links of a relation, all of whose entities are staged. Those of a hooked save are written at once, so that
  /// what a later relation says counts as it does in a quiet one.
  func link(_ relation: HeldRelation, to targets: [RecordStage.Target], _ context: inout Context) throws {
    // Looked up now, because a hook of a nested entity may have made the schema larger.
    let mapping = stage.entities[relation.record].mapping
    guard let stored = context.storage.schema?.byNumber[Int(mapping.type.index)].relations[relation.place] else {
      return
    }
    stage.stage.link(
      relation.record, stored.id, to: targets, mode: relation.isPart ? .append : .set, isRead: relation.isRead,
      origin: stage.stage.records[relation.record].origin)
    guard runsHooks, let link = stage.stage.links.last else { return }
    try apply(link, &context)
    stage.stage.removeLastLink()
  }

  func apply(_ link: RecordStage.Link, _ context: inout Context) throws {
    context.own()
    let transaction = context.storage.writing
    transaction.now = now
    guard let relation = context.storage.schema?.catalog[link.relation] else { return }
    let row = stage.row(link.record)
    // A resolver may have deleted what was just saved.
    guard transaction.isLive(relation.source, row) else { return }
    stage.list.removeAll()
    for target in stage.stage.targets[link.targets] {
      switch target {
      case .record(let record):
        if transaction.isLive(relation.target, stage.row(record)) { stage.list.append(stage.row(record)) }
      case .key(let key, _):
        if let found = withUnsafePointer(to: key, { transaction.findRow(relation.target, key: $0) }) {
          stage.list.append(found)
        } else {
          stage.list.append(absent: relation.target, key)
        }
      case .row(let row, _): stage.list.append(row)
      }
    }
    let entity = stage.entities[link.record]
    // A row that is new waits for nothing, unless the entity stands elsewhere in the save too, or a hook has saved it.
    let isFresh = entity.isNew && !stage.hasTwins && !runsHooks
    // Reading does not show links that wait, so that what is saved as it was read says nothing about them.
    let isSame =
      link.isRead && !stage.list.hasAbsent && transaction.hasTargets(relation, source: row, stage.list.rows)
    do {
      try transaction.write(
        stage.list, of: relation, from: row, mode: link.mode,
        keepsWaiting: link.mode == .append || isFresh || isSame)
    } catch { throw entity.mapping.error(error, in: context) }
  }
}

/// A relation of a record, as an entity holds it.
struct HeldRelation {
  let record: Int
  /// The relation's place in the description of the record's type.
  let place: Int
  /// Indicates whether the targets join those that are there.
  let isPart: Bool
  /// Indicates whether reading gave it.
  let isRead: Bool
}
