import GQLBinder
import GQLCatalog

/// What models keep with a database's data.
package final class ModelBinding: Sendable {
  let catalog: Catalog
  /// Nil where the catalog can hold none of the types that were written.
  let schema: ModelSchema?
  /// By number of the entity type: the values without a column.
  let opaques: [OpaqueValues?]
  /// Whether the catalog is not what the types make.
  let isForeign: Bool
  /// Indicates whether models that the catalog lacks are added to it.
  let addsModels: Bool

  init(
    _ catalog: Catalog, _ schema: ModelSchema?, opaques: [OpaqueValues?], isForeign: Bool, addsModels: Bool = false
  ) {
    self.catalog = catalog
    self.schema = schema
    self.opaques = opaques
    self.isForeign = isForeign
    self.addsModels = addsModels
  }

  /// Makes a binding for a catalog that has types of models, and gets those that are met later.
  package convenience init(_ catalog: Catalog, adding models: [any EntityModelProtocol.Type]) throws {
    let schema = models.isEmpty ? nil : try ModelSchema.make(for: models, in: catalog)
    self.init(
      catalog, schema, opaques: schema?.byNumber.map(\.noOpaques) ?? [], isForeign: true, addsModels: true)
  }

  /// The first property that has no column, `User.photo`.
  package var propertyWithoutColumn: String? {
    guard let place = opaques.firstIndex(where: { $0 != nil }) else { return nil }
    let name = catalog.types[place].name
    let property = schema.flatMap { place < $0.byNumber.count ? $0.byNumber[place].propertyWithoutColumn : nil }
    return property.map { "\(name).\($0)" } ?? name
  }

  private func opaques(of type: EntityTypeID) -> OpaqueValues? {
    Int(type.index) < opaques.count ? opaques[Int(type.index)] : nil
  }

  /// Returns whether a row has other values without a column than an earlier version has for it.
  package func hasChanged(_ type: EntityTypeID, _ row: UInt32, since base: ModelBinding?) -> Bool {
    guard let values = opaques(of: type) else { return false }
    let old = base?.opaques(of: type)
    return (0..<values.width).contains { !AnyOpaqueBox.areEqual(values[row, $0], old?[row, $0]) }
  }

  /// Returns a binding with what another has, and with the values without a column of some rows of this one that are
  /// others than in a version that both began with.
  package func bringing(
    _ rows: [(type: EntityTypeID, from: UInt32, to: UInt32)], into other: ModelBinding, since base: ModelBinding?
  ) -> ModelBinding {
    let schema = (self.schema?.types.count ?? 0) > (other.schema?.types.count ?? 0) ? self.schema : other.schema
    var opaques = other.opaques
    for (number, values) in self.opaques.enumerated() {
      guard let values else { continue }
      while opaques.count <= number { opaques.append(nil) }
      if opaques[number] == nil { opaques[number] = OpaqueValues(width: values.width) }
    }
    for row in rows {
      guard let values = self.opaques(of: row.type), values.width > 0 else { continue }
      let number = Int(row.type.index)
      let (old, theirs) = (base?.opaques(of: row.type), opaques[number])
      opaques[number]?.set(
        row.to,
        (0..<values.width).map { place in
          let mine = values[row.from, place]
          // One that got another number is new there.
          let isWritten = row.from != row.to || !AnyOpaqueBox.areEqual(mine, old?[row.from, place])
          return isWritten ? mine : theirs?[row.to, place]
        })
    }
    return ModelBinding(
      other.catalog, schema, opaques: opaques, isForeign: other.isForeign, addsModels: other.addsModels)
  }

  /// The types that the catalog can hold, and the values without a column of all types that are still there, whose rows
  /// keep their numbers. The binding itself where it is one of the catalog.
  package func fitted(to catalog: Catalog) -> ModelBinding {
    // Quick, because catalogs of one version share what they are made of.
    if catalog == self.catalog { return self }
    let comparison = CatalogComparison(from: self.catalog, to: catalog)
    let schema = schema.flatMap { ModelSchema.fitting($0.types, in: catalog) }
    let opaques = catalog.types.map { type -> OpaqueValues? in
      let place = Int(type.id.index)
      if let old = comparison.mapping.oldTypes[place], Int(old.index) < self.opaques.count,
        let values = self.opaques[Int(old.index)]
      {
        return values
      }
      return schema?.byNumber[place].noOpaques
    }
    return ModelBinding(
      catalog, schema, opaques: opaques, isForeign: isForeign || !comparison.differences.isEmpty,
      addsModels: addsModels)
  }
}
