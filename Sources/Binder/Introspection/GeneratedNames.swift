import GQLCatalog

/// What a type is that the schema does not write but introspection shows.
enum GeneratedType: Hashable, Sendable {
  case query
  case mutation
  case subscription
  /// `UserFilter`: what `where:` takes.
  case filter(EntityTypeID)
  /// `UserOrder`: what `orderBy:` takes.
  case order(EntityTypeID)
  /// `UserInput`: what mutations save.
  case input(EntityTypeID)
  /// `UserField`: the names that `distinctOn:` and `groupBy:` take.
  case fields(EntityTypeID)
  /// `UserListFilter`: conditions on a relation to many.
  case relationFilter(EntityTypeID)
  /// `UserLinks`: changes of a relation to many.
  case links(EntityTypeID)
  case embeddedFilter(EmbeddedTypeID)
  case embeddedOrder(EmbeddedTypeID)
  case embeddedInput(EmbeddedTypeID)
  case enumFilter(EnumTypeID)
  case enumListFilter(EnumTypeID)
  case scalarFilter(ScalarType)
  case scalarListFilter(ScalarType)
  /// `ASC`, `DESC`.
  case direction
  /// `ONLY`, `INCLUDE`.
  case deleted
  /// The values of `@using(access:)`.
  case access
  /// The values of `@expand(levels:)`.
  case expandLevel
  /// The values of `@live(mode:)`.
  case liveMode
  /// The values of `strategy:`.
  case strategy
  /// The answer of `_undo`, and the values of its `only:`.
  case undo, undoExtent
}

extension Catalog {
  /// Whether variables of a type hold a name of ours: of a field, a strategy, a direction.
  package func hasGeneratedEnum(named name: String) -> Bool {
    switch GeneratedNames(self).types[name] {
    case .fields?, .direction?, .deleted?, .access?, .expandLevel?, .liveMode?, .strategy?, .undoExtent?: true
    default: false
    }
  }
}

/// The names of generated types. A name that the schema has taken gets underscores behind it.
struct GeneratedNames {
  private var names: [GeneratedType: String] = [:]
  private(set) var types: [String: GeneratedType] = [:]

  /// Complexity: O(types).
  init(_ catalog: Catalog) {
    var taken = Set(ScalarType.allCases.map(\.rawValue))
    taken.formUnion(catalog.types.map(\.name))
    taken.formUnion(catalog.embeddedTypes.map(\.name))
    taken.formUnion(catalog.enums.map(\.name))
    func add(_ type: GeneratedType, _ wanted: String) {
      var name = wanted
      while !taken.insert(name).inserted { name += "_" }
      names[type] = name
      types[name] = type
    }
    add(.query, "Query")
    add(.mutation, "Mutation")
    add(.subscription, "Subscription")
    // The names that the language promises come before those that only introspection has.
    for type in catalog.types where !type.isElement {
      add(.filter(type.id), type.name + "Filter")
      add(.order(type.id), type.name + "Order")
      add(.input(type.id), type.name + "Input")
    }
    for type in catalog.types {
      // Elements of lists of embedded objects have their embedded type's name.
      let base = type.isElement ? type.name + "Element" : type.name
      if type.isElement {
        add(.filter(type.id), base + "Filter")
        add(.order(type.id), base + "Order")
      }
      add(.fields(type.id), base + "Field")
      add(.relationFilter(type.id), base + "ListFilter")
      add(.links(type.id), base + "Links")
    }
    for type in catalog.embeddedTypes {
      add(.embeddedFilter(type.id), type.name + "Filter")
      add(.embeddedOrder(type.id), type.name + "Order")
      add(.embeddedInput(type.id), type.name + "Input")
    }
    for type in catalog.enums {
      add(.enumFilter(type.id), type.name + "Filter")
      add(.enumListFilter(type.id), type.name + "ListFilter")
    }
    for scalar in ScalarType.allCases {
      add(.scalarFilter(scalar), scalar.rawValue + "Filter")
      add(.scalarListFilter(scalar), scalar.rawValue + "ListFilter")
    }
    add(.direction, "SortDirection")
    add(.deleted, "DeletedEntities")
    add(.access, "AccessPath")
    add(.expandLevel, "ExpandLevel")
    add(.liveMode, "LiveMode")
    add(.strategy, "UpsertStrategy")
    add(.undo, "UndoResult")
    add(.undoExtent, "UndoExtent")
  }

  subscript(_ type: GeneratedType) -> String { names[type] ?? "" }

  /// The type of a name as the language writes it, which may stand under a longer one.
  func type(written name: String) -> GeneratedType? {
    var name = name
    for _ in 0..<4 {
      if let type = types[name] { return type }
      name += "_"
    }
    return nil
  }
}
