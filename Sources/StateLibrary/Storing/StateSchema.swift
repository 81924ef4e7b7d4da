import GQLCatalog
import GQLEngine
import GQLModels

/// The models that a database was told of, and the changes of its schema that they need.
final class StateSchema: Sendable {
  /// A model as its class has it.
  struct Known {
    var type: ObjectIdentifier
    var name: String
    /// By number.
    var properties: [PropertyKey: ModelProperty]
    /// Indicates whether its names were put into the schema, or turned out not to fit.
    var isNamed = false
  }

  private struct State {
    var models: [ModelKey: Known] = [:]
    var conflicts: Set<ModelKey> = []
  }

  private let database: GQLEngine.Database
  private let errors: StateErrors
  private let keepsHistory: Bool
  private let state = Guarded(State())
  /// Held by who changes the schema.
  private let changing = Guarded(0)

  init(_ database: GQLEngine.Database, _ errors: StateErrors, keepsHistory: Bool) {
    (self.database, self.errors, self.keepsHistory) = (database, errors, keepsHistory)
  }

  /// Notes a model's class, and reports where another class has its number.
  func register<Model: ModelProtocol>(_ model: Model.Type) {
    let type = ObjectIdentifier(model)
    let number = model.modelId
    let known = state.withLock { $0.models[number]?.type }
    if known == type { return }
    if known != nil {
      let isNew = state.withLock { $0.conflicts.insert(number).inserted }
      if isNew {
        errors.report(
          StateError(code: "number-conflict", "\(model) has the number \(number) of another model of the database"))
      }
      return
    }
    let properties = Dictionary(model._modelProperties.map { ($0.id, $0) }) { first, _ in first }
    let found = Known(type: type, name: "\(model)", properties: properties)
    state.withLock { if $0.models[number] == nil { $0.models[number] = found } }
  }

  /// Returns whether a property is nil as long as it was never set.
  func isNilByDefault(_ path: Path) -> Bool {
    state.withLock { $0.models[path.model]?.properties[path.property]?.isNilByDefault ?? false }
  }

  /// Returns whether the data has a place for changes.
  func fits(_ changes: [StagedChange], _ layout: StateLayout) -> Bool {
    changes.allSatisfy { change in
      if change.isReset { return true }
      guard let table = layout.tables[change.path.model] else { return false }
      if !state.withLock({ $0.models[change.path.model]?.isNamed ?? true }) { return false }
      if needsMarks(change), table.marks == nil { return false }
      return change.path.property == .instanceId || table.columns[change.path.property]?.type == change.type
    }
  }

  /// Returns whether a change may need what nulls do not say: a value of an instance that was never created, or nil where
  /// the default is another.
  private func needsMarks(_ change: StagedChange) -> Bool { change.isNil && !isNilByDefault(change.path) }

  /// Changes the schema, so that the data has a place for changes.
  ///
  /// - Parameter withMarks: The models whose types need a place for marks.
  func make(room changes: [StagedChange], withMarks: Set<ModelKey> = []) throws {
    let losses = try changing.withLock { _ in try makeAlone(changes, withMarks) }
    // Code of the program may be called, which may change models.
    for loss in losses { errors.report(loss) }
  }

  /// Has the old values of the models kept that the data has, from now on.
  func beginHistory() throws {
    try changing.withLock { _ in
      let layout = StateLayout(database.catalog)
      if layout.tables.values.allSatisfy(\.hasHistory) { return }
      _ = try change(to: edited([:], layout, [], isNamed: true))
    }
  }

  /// Returns what is lost.
  private func makeAlone(_ changes: [StagedChange], _ withMarks: Set<ModelKey>) throws -> [StateError] {
    let layout = StateLayout(database.catalog)
    if withMarks.isEmpty, fits(changes, layout) { return [] }
    var losses: [StateError] = []
    let models = Dictionary(grouping: changes.filter { !$0.isReset }) { $0.path.model }
    do {
      losses = try change(to: edited(models, layout, withMarks, isNamed: true))
    } catch let refusal as QueryError {
      // Names that do not fit are made up.
      do {
        losses = try change(to: edited(models, layout, withMarks, isNamed: false))
      } catch _ as QueryError {
        throw refusal
      }
    }
    state.withLock { state in
      for model in models.keys { state.models[model]?.isNamed = true }
    }
    return losses
  }

  private func edited(
    _ changes: [ModelKey: [StagedChange]], _ layout: StateLayout, _ withMarks: Set<ModelKey>, isNamed: Bool
  ) -> SchemaText {
    var text = SchemaText(database.schema)
    let names = Set(database.catalog.types.map(\.name))
    for (model, changes) in changes.sorted(by: { $0.key < $1.key }) {
      let known = state.withLock { $0.models[model] }
      var edit = ModelEdit(
        text: text, number: model, table: layout.tables[model], known: known, isNamed: isNamed, typeNames: names)
      edit.addFields(changes)
      if withMarks.contains(model) || changes.contains(where: needsMarks) { edit.addMarks() }
      if keepsHistory { edit.addHistory() }
      text = edit.text
    }
    if keepsHistory {
      for (model, table) in layout.tables where changes[model] == nil && !table.hasHistory {
        text.addHistory(to: table.name)
      }
    }
    return text
  }

  /// Changes the schema. Returns what is lost: values that the type of a property no longer has.
  private func change(to text: SchemaText) throws -> [StateError] {
    if text.text == database.schema { return [] }
    do {
      try database.changeSchema(to: text.text, name: "models")
      return []
    } catch {
      let losses = error.problems.filter { $0.code == "data-loss" }
      if losses.isEmpty { throw error }
      try database.changeSchema(to: text.text, name: "models", allowingLoss: true)
      return losses.map { StateError(code: "data-loss", $0.message) }
    }
  }
}

/// One model's changes of a schema's text.
private struct ModelEdit {
  var text: SchemaText
  let number: ModelKey
  /// Nil for a model that the data does not have.
  let table: StateTable?
  let known: StateSchema.Known?
  /// Indicates whether names of the class are used.
  let isNamed: Bool
  private let owner: String
  /// The names of the type's fields.
  private var fields: Set<String>

  init(
    text: SchemaText, number: ModelKey, table: StateTable?, known: StateSchema.Known?, isNamed: Bool,
    typeNames: Set<String>
  ) {
    (self.number, self.table, self.known) = (number, table, known)
    // Once is enough: names that did not fit are not tried again.
    self.isNamed = isNamed && !(known?.isNamed ?? true)
    fields = Set(table?.columns.values.map(\.name) ?? [])
    var (text, owner) = (text, table?.name ?? "Model\(number)")
    if self.isNamed, let name = known.flatMap({ SchemaNames.type($0.name) }) {
      let isTaken = typeNames.contains(name) && name != table?.name
      let name = isTaken ? "\(name)\(number)" : name
      if table != nil, name != owner { text.renameType(owner, name) }
      owner = name
    }
    if table == nil { text.addType(owner, number: number) }
    (self.text, self.owner) = (text, owner)
  }

  mutating func addFields(_ changes: [StagedChange]) {
    var placed: Set<PropertyKey> = []
    for change in changes where change.path.property != .instanceId && !change.isReset {
      let property = change.path.property
      if placed.insert(property).inserted { place(property, change.typeText, change.type) }
    }
    for property in (known?.properties.values.sorted { $0.id < $1.id } ?? []) where placed.insert(property.id).inserted
    {
      if let type = Self.typeText(property.type), (1...Int(Int32.max)).contains(property.id) {
        place(property.id, type)
      }
    }
  }

  mutating func addMarks() {
    if table?.marks == nil { text.addField(StateTable.marksName, "[Int!]", number: nil, to: owner) }
  }

  mutating func addHistory() {
    if table?.hasHistory != true { text.addHistory(to: owner) }
  }

  /// Adds a field, or gives it its name and, where another one is written, its type.
  private mutating func place(_ property: PropertyKey, _ typeText: String, _ type: ValueType? = nil) {
    guard let column = table?.columns[property] else {
      let name = fieldName(property)
      if fields.insert(name).inserted { text.addField(name, typeText, number: property, to: owner) }
      return
    }
    var name = column.name
    if isNamed, known?.properties[property] != nil {
      fields.remove(name)
      let wanted = fieldName(property)
      if wanted != name { text.renameField(name, wanted, of: owner) }
      name = wanted
      fields.insert(name)
    }
    if let type, column.type != type { text.retypeField(name, typeText, number: property, of: owner) }
  }

  private func fieldName(_ property: PropertyKey) -> String {
    guard isNamed, let name = known?.properties[property].flatMap({ SchemaNames.field($0.name) }),
      !fields.contains(name)
    else { return "property\(property)" }
    return name
  }

  private static func typeText<Value: DatabaseValue>(_ type: Value.Type) -> String? {
    CodecCache.codec(of: type)?.typeText
  }
}
