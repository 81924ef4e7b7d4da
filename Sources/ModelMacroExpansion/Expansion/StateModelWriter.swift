/// A writer of what `@Model` adds to a class. All of it could be written by hand.
extension StateModel {
  /// The extension with the conformance; nil where the class conforms elsewhere.
  func extensionText(_ input: EntityModelMacro.Input) -> String? {
    guard input.conforms else { return nil }
    return (availability + ["extension \(input.extendedType): GQLiteState.ModelProtocol {", "}"]).joined(
      separator: "\n")
  }

  /// The members.
  func memberText() -> String {
    ([
      ["\(access)static var modelId: GQLiteState.ModelKey { \(number) }"],
      ["\(access)let id: GQLiteState.InstanceKey"],
      ["\(access)let database: any GQLiteState.Database"],
      ["\(access)let _modelObservation: GQLiteState.ModelObservation"],
      [
        "\(access)required init(database: any GQLiteState.Database, id: GQLiteState.InstanceKey) {",
        "  self.database = database", "  self.id = id",
        "  self._modelObservation = GQLiteState.ModelObservation(database)", "}",
      ],
      numbers, descriptions, defaults, creation,
    ] as [[String]]).map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private var numbers: [String] {
    if properties.isEmpty { return ["\(access)enum PropertyId {}"] }
    return ["\(access)enum PropertyId: Swift.Int, Swift.CaseIterable {"]
      + properties.map { "  case \($0.name) = \($0.number)" } + ["}"]
  }

  private var descriptions: [String] {
    ["\(access)static var _modelProperties: [GQLiteState.ModelProperty] {", "  ["]
      + properties.map { property in
        let name = EntityModelReader.unquoted(property.name)
        let isNil = property.isNilByDefault ? ", isNilByDefault: true" : ""
        return "    GQLiteState.ModelProperty(\"\(name)\", \(property.number), \(property.storedType).self\(isNil)),"
      } + ["  ]", "}"]
  }

  private var defaults: [String] {
    ["\(access)var _modelDefaults: [GQLiteState.DatabaseChange] {", "  ["]
      + properties.map { "    self._\(EntityModelReader.unquoted($0.name))._default(of: self)," } + ["  ]", "}"]
  }

  private var creation: [String] {
    let parameters = properties.map { "  \($0.name): \($0.parameter)" }
    let isDeprecated = properties.contains(where: \.isDeprecated)
    return (isDeprecated ? ["@available(*, deprecated)"] : [])
      + ["\(access)static func create("]
      + [
        (["  in database: any GQLiteState.Database, id: GQLiteState.InstanceKey"] + parameters).joined(separator: ",\n")
      ]
      + [") -> Self {", "  GQLiteState._create(", "    Self.self, in: database, id,", "    ["]
      + properties.map { "      (\($0.number), \($0.argument))," } + ["    ])", "}"]
  }
}

extension StateModel.Property {
  /// Returns whether it is nil when nobody has set it.
  fileprivate var isNilByDefault: Bool {
    switch kind {
    case .property: isOptional && [nil, "nil", ".none"].contains(initialValue)
    case .reference: true
    case .list: false
    }
  }

  /// A type that is written `T!` is `T?` as a value.
  private var plainType: String { type.hasSuffix("!") ? type.dropLast() + "?" : type }

  fileprivate var storedType: String {
    switch kind {
    case .property: "(\(plainType))"
    case .reference: "GQLiteState.InstanceKey?"
    case .list: "[GQLiteState.InstanceKey]"
    }
  }

  /// The type and the default value of a parameter.
  fileprivate var parameter: String {
    switch kind {
    case .property: plainType + (initialValue.map { " = \($0)" } ?? (isOptional ? " = nil" : ""))
    case .reference: plainType + " = nil"
    case .list: "\(type) = \(type)(Swift.EmptyCollection())"
    }
  }

  fileprivate var argument: String {
    switch kind {
    case .property: name
    case .reference: "\(name)?.id as GQLiteState.InstanceKey?"
    case .list: "\(name).map { $0.id }"
    }
  }
}
