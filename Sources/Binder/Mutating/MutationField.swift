import GQLBase
import GQLCatalog
import GQLQuery

/// A root field of `Mutation`: what the binder takes and introspection shows.
package struct MutationField: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case change(BoundMutation.Kind, EntityTypeID)
    /// A command of the embedding program, by its place in `BindingOptions.commands`.
    case command(Int)
  }
  package struct Argument: Sendable, Hashable {
    package var name: String
    /// In SDL: `[UserInput!]!`.
    package var type: String
    package var description: String
    /// In SDL; nil for none.
    package var defaultValue: String?
  }

  package var name: String
  package var kind: Kind
  package var arguments: [Argument]
  /// In SDL: `[User!]!`.
  package var type: String
  package var description: String
}

/// A mutation field that the embedding program runs.
package struct CommandDescriptor: Sendable, Hashable {
  package struct Argument: Sendable, Hashable {
    package var name: String
    package var signature: TypeSignature
    package var defaultValue: Value?
    package init(name: String, signature: TypeSignature, defaultValue: Value? = nil) {
      self.name = name
      self.signature = signature
      self.defaultValue = defaultValue
    }
  }
  package var name: String
  package var arguments: [Argument]
  /// What it answers with; an entity or a list of entities is given by ids.
  package var result: TypeSignature
  package init(name: String, arguments: [Argument], result: TypeSignature) {
    self.name = name
    self.arguments = arguments
    self.result = result
  }
}

extension MutationField {
  /// The names of the enum whose values `strategy:` takes, and of the input types of relations.
  package static let strategyType = "UpsertStrategy"

  /// All mutation fields, in the order of the types, then the commands.
  package static func all(of catalog: Catalog, commands: [CommandDescriptor] = []) -> [MutationField] {
    var fields: [MutationField] = []
    for type in catalog.types where type.kind == .entity && type.pastRole == nil {
      for kind in BoundMutation.Kind.allCases where kind != .erase || type.history != nil {
        fields.append(MutationField(kind, type))
      }
    }
    for index in commands.indices { fields.append(MutationField(command: index, commands[index], catalog)) }
    return fields
  }

  /// Complexity: O(types).
  package static func named(
    _ name: String, in catalog: Catalog, commands: [CommandDescriptor] = []
  ) -> MutationField? {
    for kind in BoundMutation.Kind.allCases where name.hasPrefix(kind.rawValue) {
      if let type = catalog.type(named: String(name.dropFirst(kind.rawValue.utf8.count))), type.kind == .entity,
        kind != .erase || type.history != nil
      {
        return MutationField(kind, type)
      }
    }
    return commands.firstIndex { $0.name == name }.map { MutationField(command: $0, commands[$0], catalog) }
  }

  /// The interface or union that a field would change, were it a type. Complexity: O(types).
  static func abstractType(of name: String, in catalog: Catalog) -> EntityTypeID? {
    for kind in BoundMutation.Kind.allCases where name.hasPrefix(kind.rawValue) {
      if let type = catalog.type(named: String(name.dropFirst(kind.rawValue.utf8.count))), type.isAbstract {
        return type.id
      }
    }
    return nil
  }

  private init(_ kind: BoundMutation.Kind, _ type: EntityType) {
    let name = type.name
    let filter = Argument(
      name: "where", type: "\(name)Filter", description: "Selects the entities that match this condition.")
    let all = Argument(
      name: "all", type: "Boolean", description: "Allows a condition that matches every entity.",
      defaultValue: "false")
    self.name = kind.rawValue + name
    self.kind = .change(kind, type.id)
    self.type = "[\(name)!]!"
    switch kind {
    case .insert:
      arguments = [Argument(name: "data", type: "[\(name)Input!]!", description: "The entities to insert.")]
      description = "Inserts entities. An entity that exists already is an error."
    case .upsert:
      arguments = [
        Argument(name: "data", type: "[\(name)Input!]!", description: "The entities to save."),
        Argument(name: "on", type: "[String!]", description: "The unique fields that identify an existing entity."),
        Argument(
          name: "strategy", type: Self.strategyType, description: "The effect on an existing entity.",
          defaultValue: "PATCH"),
        Argument(name: "by", type: "String", description: "The field that LAST_WRITE_WINS compares."),
        Argument(
          name: "set", type: "\(name)Input",
          description: "The values of an existing entity, computed from 'old' and 'new'."),
      ]
      description = "Inserts entities, or updates those that exist."
    case .update:
      arguments = [
        filter, Argument(name: "set", type: "\(name)Input!", description: "The values to set."), all,
      ]
      description = "Updates the entities that match."
    case .delete:
      arguments = [
        filter, all,
        Argument(
          name: "hard", type: "Boolean", description: "Deletes the entities for good, so that they cannot be restored.",
          defaultValue: "false"),
      ]
      description = "Deletes the entities that match, and related ones as their relations declare."
    case .restore:
      arguments = [
        Argument(
          name: "where", type: "\(name)Filter", description: "Selects the deleted entities that match this condition."),
        all,
      ]
      description = "Restores the deleted entities that match."
    case .erase:
      arguments = [filter, all]
      description = "Forgets what the entities that match, and the deleted ones, were before. They stay as they are."
    }
  }

  private init(command index: Int, _ command: CommandDescriptor, _ catalog: Catalog) {
    name = command.name
    kind = .command(index)
    arguments = command.arguments.map {
      Argument(name: $0.name, type: catalog.name(of: $0.signature), description: "")
    }
    type = catalog.name(of: command.result)
    description = ""
  }
}

extension Catalog {
  /// A type as SDL writes it, with nullability.
  package func name(of signature: TypeSignature) -> String {
    var name = self.name(of: signature.type)
    if signature.isElementNonNull, name.hasSuffix("]") { name = name.dropLast() + "!]" }
    return signature.isNonNull ? name + "!" : name
  }
}
