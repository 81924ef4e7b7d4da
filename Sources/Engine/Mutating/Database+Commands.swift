import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLParser
import GQLQuery
import GQLStore

/// An argument of a command; see ``Database/registerCommand(_:arguments:returns:_:)``.
public struct CommandArgument: Sendable, Hashable {
  /// The argument's name.
  public var name: String
  /// Its type as SDL writes it: `ID!`, `[String!]`.
  public var type: String
  /// An argument of a command.
  public init(_ name: String, type: String) {
    self.name = name
    self.type = type
  }
}

/// What the program has told a database.
struct Registry {
  struct Command {
    var name: String
    var arguments: [(name: String, type: TypeReference)]
    var result: TypeReference
    var body: @Sendable (DatabaseTransaction, [String: Value]) throws -> Value
  }
  var resolvers: [String: ConflictResolver] = [:]
  var commands: [Command] = []
  /// By field: what merges it.
  var merges: [String: MergeDecider.Handler] = [:]
  /// By origin: what can be undone.
  var undo: [String: UndoHistory] = [:]
}

extension Database {
  /// Makes a field of `Mutation` that the program runs itself, within the operation's transaction.
  ///
  /// ```swift
  /// try database.registerCommand(
  ///   "rename", arguments: [CommandArgument("id", type: "ID!"), CommandArgument("name", type: "String!")],
  ///   returns: "User"
  /// ) { transaction, arguments in
  ///   try transaction.run("mutation($id: ID!, $name: String!) { updateUser(where: id == $id, set: {name: $name}) }", arguments)
  ///   return arguments["id"] ?? .null
  /// }
  /// ```
  /// Where `result` is an entity type, or a list of one, the command gives ids, and the document selects from the
  /// entities. What it throws fails the operation.
  ///
  /// - Throws: ``QueryError`` if a type cannot be read, or the name is that of another mutation field.
  public func registerCommand(
    _ name: String, arguments: [CommandArgument] = [], returns result: String = "JSON",
    _ body: @escaping @Sendable (DatabaseTransaction, [String: Value]) throws -> Value
  ) throws(QueryError) {
    let command = Registry.Command(
      name: name,
      arguments: try arguments.map { argument throws(QueryError) in
        (argument.name, try CommandDescriptor.typeReference(argument.type))
      },
      result: try CommandDescriptor.typeReference(result), body: body)
    let catalog = self.catalog
    let taken = MutationField.named(name, in: catalog) != nil
    let isNew = registry.withLock { registry in
      if taken || registry.commands.contains(where: { $0.name == name }) { return false }
      registry.commands.append(command)
      return true
    }
    if !isNew {
      throw QueryError(code: "duplicate-definition", "there is a mutation '\(name)' already")
    }
    defer { forgetTexts() }
    do throws(QueryError) {
      _ = try CommandDescriptor.descriptor(command, catalog)
    } catch {
      // A schema that is not there yet may have the types.
      if catalog.types.isEmpty { return }
      registry.withLock { $0.commands.removeAll { $0.name == name } }
      throw error
    }
  }

  /// The commands as the binder takes them; those whose types the schema lacks are left out.
  func commandDescriptors(_ catalog: Catalog) -> [CommandDescriptor] {
    let commands = registry.withLock { $0.commands }
    return commands.compactMap { try? CommandDescriptor.descriptor($0, catalog) }
  }
}

extension CommandDescriptor {
  fileprivate static func typeReference(_ text: String) throws(QueryError) -> TypeReference {
    let source = SourceText(name: "type", text: "query($a: \(text)) { a }")
    let parsed = parse(source)
    if parsed.hasErrors { throw QueryError(parsed.diagnostics, in: source) }
    guard case .operation(let operation)? = parsed.output.definitions.first,
      let type = operation.variables.first?.type, operation.variables.count == 1
    else { throw QueryError(code: "unknown-type", "'\(text)' is no type") }
    return type
  }

  fileprivate static func descriptor(
    _ command: Registry.Command, _ catalog: Catalog
  ) throws(QueryError) -> CommandDescriptor {
    CommandDescriptor(
      name: command.name,
      arguments: try command.arguments.map { argument throws(QueryError) in
        let signature = try signature(argument.type, catalog)
        switch signature.type {
        case .entity, .list(.entity):
          throw QueryError(code: "not-input-type", "the argument '\(argument.name)' cannot be an entity")
        default: return CommandDescriptor.Argument(name: argument.name, signature: signature)
        }
      },
      result: try signature(command.result, catalog))
  }

  private static func signature(_ reference: TypeReference, _ catalog: Catalog) throws(QueryError) -> TypeSignature {
    switch reference {
    case .nonNull(let inner, _):
      var signature = try signature(inner, catalog)
      signature.isNonNull = true
      return signature
    case .list(let inner, _):
      let element = try signature(inner, catalog)
      return TypeSignature(.list(element.type), isElementNonNull: element.isNonNull)
    case .named(let name):
      if let scalar = ScalarType(rawValue: name.text) { return TypeSignature(.scalar(scalar)) }
      if let type = catalog.type(named: name.text) { return TypeSignature(.entity(type.id)) }
      if let type = catalog.enums.first(where: { $0.name == name.text }) { return TypeSignature(.enumeration(type.id)) }
      throw QueryError(code: "unknown-type", "there is no type '\(name.text)'")
    }
  }
}

extension PreparedQuery {
  /// Runs a command and appends `{"key":answer}`; false where the field is left out.
  func runCommand(
    _ command: BoundCommand, _ constants: PartPlan, _ answer: PartPlan?, _ mutator: Mutator,
    _ transaction: DatabaseTransaction, _ context: MutationContext, _ planning: PartPlanning,
    into output: inout ByteBuffer
  ) throws(QueryError) -> Bool {
    let values = try constantValues(constants, mutator, context, planning)
    if let condition = command.condition, values[condition] != .bool(true) { return false }
    guard let registered = database.registry.withLock({ $0.commands.first { $0.name == command.name } }) else {
      throw QueryError(code: "unknown-mutation", "there is no mutation '\(command.name)'")
    }
    var arguments: [String: Value] = [:]
    for (argument, value) in zip(registered.arguments, values) { arguments[argument.name] = value }
    let result: Value
    do {
      result = try registered.body(transaction, arguments)
    } catch let error as QueryError {
      throw error
    } catch {
      let problem = MutationProblem(
        .commandFailed(name: command.name, message: "\(error)"), at: command.range)
      throw QueryError([problem.diagnostic], in: document.source)
    }
    if let failure = transaction.failure { throw failure }
    guard let type = command.entities, let answer else {
      output.append(0x7B)
      output.append(json: Text(command.key))
      output.append(0x3A)
      output.append(json: result.json)
      output.append(0x7D)
      return true
    }
    let view = mutator.snapshot()
    let ids: [Value] = if case .list(let ids) = result { ids } else { result == .null ? [] : [result] }
    let executable = try answer.executable(self, view, context.parameters, planning)
    var rows: [UInt32] = []
    for id in ids {
      guard let row = view.row(of: type, id: id.json) else {
        let problem = MutationProblem(
          .commandFailed(name: command.name, message: "it gave an id that is not there: \(id.json.json)"),
          at: command.range)
        throw QueryError([problem.diagnostic], in: document.source)
      }
      rows.append(row)
    }
    do {
      try rows.withUnsafeBufferPointer { (rows) throws(RuntimeProblem) in
        try executable.run(view, context, given: rows, of: type, inserted: [], into: &output)
      }
    } catch {
      throw QueryError([error.diagnostic(snapshot: view)], in: document.source)
    }
    return true
  }

  func constantValues(
    _ constants: PartPlan, _ mutator: Mutator, _ context: MutationContext, _ planning: PartPlanning
  ) throws(QueryError) -> [Value] {
    let view = mutator.snapshot()
    let program = try constants.values(self, view, context.parameters, planning)
    do {
      return try program.json(context, on: view).map { (try? Value(json: Array($0.bytes))) ?? .null }
    } catch {
      throw queryError(MutationProblem(.runtime(error), at: error.range), view)
    }
  }
}
