extension EntityType {
  /// Names that no entity type of a schema may have, beside those that begin with `__`.
  package static let reservedNames = Set(ScalarType.allCases.map(\.rawValue) + ["Query"])
}

extension Property {
  /// Names that no field of a schema may have, beside those that begin with `__`.
  package static let reservedNames: Set<String> = [
    "_cursor", "_score", "_createdAt", "_updatedAt", "_status", "_depth", "_cycle", "_items", "_inserted",
  ]
}
