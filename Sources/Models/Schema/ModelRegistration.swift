import GQLBase
import GQLBinder
import GQLCatalog
import GQLParser

/// A catalog with the types of models put into it.
package struct ModelRegistration {
  package let catalog: Catalog

  /// Puts the types of models, and all that they lead to, into a catalog.
  ///
  /// A type that models could have made becomes what its model says. One that says more, as only text can, stays; so do
  /// all types with `keepsTypes`. Their models must fit. Types of no model stay.
  ///
  /// - Throws: ``ModelError/invalidSchema(_:)``.
  package init(
    _ types: [any EntityModelProtocol.Type], in catalog: Catalog, keepsTypes: Bool = false
  ) throws {
    let schema = try Self.schema(of: types)
    let models = schema.map { parse(SourceText(name: "models", text: $0.text)).output.definitions } ?? []
    let document = Self.document(
      schemaDefinitions(of: catalog), Self.types(models), declaredDefinitions(of: catalog), keepsTypes: keepsTypes,
      catalog, schema?.catalog ?? Catalog())
    let source = SourceText(name: "models", text: print(document))
    let built = buildCatalog(parse(source).output)
    if built.hasErrors {
      let problems = built.diagnostics.filter { $0.severity == .error }
      throw ModelError.invalidSchema(problems.map { DiagnosticRenderer(source).text($0) }.joined())
    }
    var result = built.output
    result.version = Catalog.nextVersion()
    result.functions = catalog.functions
    if let schema { result = Self.namingDeleted(of: schema, in: result) }
    self.catalog = result
    if schema != nil { _ = try ModelSchema.make(for: types, in: result) }
  }

  /// The schema of types; nil where there are none, which make no schema.
  private static func schema(of types: [any EntityModelProtocol.Type]) throws -> ModelSchema? {
    types.isEmpty ? nil : try ModelSchema.make(for: types)
  }

  /// A catalog in which text can ask for the deleted entities of models, as it can in memory.
  package static func naming(
    deleted types: [any EntityModelProtocol.Type], in catalog: Catalog
  ) throws -> Catalog {
    guard let schema = try schema(of: types) else { return catalog }
    var result = namingDeleted(of: schema, in: catalog)
    result.version = Catalog.nextVersion()
    return result
  }

  private static func namingDeleted(of schema: ModelSchema, in catalog: Catalog) -> Catalog {
    var result = catalog
    var taken = Set(catalog.rootNames.map(\.name) + catalog.types.flatMap { [$0.rootOne, $0.rootMany] })
    for root in schema.catalog.rootNames where root.isDeleted {
      guard let type = catalog.type(named: schema.catalog[root.type].name), taken.insert(root.name).inserted else {
        continue
      }
      result.rootNames.append(RootName(name: root.name, type: type.id, isList: true, isDeleted: true))
    }
    return result
  }

  /// The catalog as a schema.
  package var text: String { printSchema(catalog) }

  /// Returns the first of the types that a catalog cannot hold, and why; nil if it can hold all.
  package static func misfit(
    of types: [any EntityModelProtocol.Type], in catalog: Catalog
  ) -> (model: String, reason: String)? {
    for type in types {
      do {
        _ = try ModelSchema.make(for: [type], in: catalog)
      } catch ModelError.invalidSchema(let reason) {
        return ("\(type)", reason)
      } catch {
        return ("\(type)", "\(error)")
      }
    }
    return nil
  }

  /// The first property of models, and of all that they lead to, that has no column: `User.photo`.
  package static func propertyWithoutColumn(of types: [any EntityModelProtocol.Type]) throws -> String? {
    for mapping in try schema(of: types)?.byNumber ?? [] {
      if let property = mapping.propertyWithoutColumn { return "\(mapping.name).\(property)" }
    }
    return nil
  }

  private static func types(_ definitions: [Definition]) -> [TypeDefinition] {
    definitions.compactMap { if case .type(let type) = $0 { type } else { nil } }
  }

  private static func document(
    _ known: [TypeDefinition], _ models: [TypeDefinition], _ declared: [Definition], keepsTypes: Bool,
    _ catalog: Catalog, _ modelCatalog: Catalog
  ) -> Document {
    let byName = Dictionary(models.map { ($0.name.text, $0) }) { first, _ in first }
    // By the name in the catalog: the model that it becomes.
    var renamed: [String: String] = [:]
    if !keepsTypes {
      for (name, former) in CatalogRenaming(from: catalog, to: modelCatalog).typeNames { renamed[former] = name }
    }
    var result: [TypeDefinition] = []
    var placed: Set<String> = []
    var staying: [Int] = []
    for definition in known {
      let name = renamed[definition.name.text] ?? definition.name.text
      if let model = byName[name], !placed.contains(name) {
        placed.insert(name)
        let stays = keepsTypes || catalog.type(named: definition.name.text).map { saysMore($0, catalog) } ?? false
        if stays { staying.append(result.count) }
        result.append(stays ? definition : model)
      } else {
        staying.append(result.count)
        result.append(definition)
      }
    }
    for index in result.indices where !renamed.isEmpty { rename(&result[index], renamed) }
    result += models.filter { !placed.contains($0.name.text) }
    if !keepsTypes { StayingInverses.adjust(staying, among: &result, to: byName) }
    return Document(definitions: result.map { .type($0) } + declared)
  }

  /// Returns whether a type has what models cannot say: then a text has made it.
  private static func saysMore(_ type: EntityType, _ catalog: Catalog) -> Bool {
    if !type.interfaces.isEmpty || !type.memberships.isEmpty || type.description != nil || type.source != nil {
      return true
    }
    return type.properties.contains { property in
      if property.defaultValue != nil || property.isCaseInsensitive || property.description != nil
        || property.deprecation != nil || property.source != nil
      {
        return true
      }
      switch property.storage {
      case .column: return property.signature.type == .id || property.signature.type == .list(.id)
      case .relation(let id): return catalog[catalog[id].target].isElement || catalog[catalog[id].target].isAbstract
      case .embedded, .members, .computed: return true
      }
    }
  }

  // MARK: - Renaming

  /// Has what stays name types as they are called now.
  private static func rename(_ definition: inout TypeDefinition, _ names: [String: String]) {
    for index in definition.fields.indices { rename(&definition.fields[index].type, names) }
    for index in definition.members.indices {
      if let name = names[definition.members[index].text] {
        definition.members[index] = Name(name, at: definition.members[index].range)
      }
    }
  }

  private static func rename(_ reference: inout TypeReference, _ names: [String: String]) {
    switch reference {
    case .named(let name):
      if let other = names[name.text] { reference = .named(Name(other, at: name.range)) }
    case .list(var inner, let range):
      rename(&inner, names)
      reference = .list(inner, range)
    case .nonNull(var inner, let range):
      rename(&inner, names)
      reference = .nonNull(inner, range)
    }
  }
}
