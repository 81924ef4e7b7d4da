import GQLQuery

/// The form of what an operation answers with, known before it runs.
///
/// Tables take their columns from it: a column is there where no row has a value in it, and an object in a field of the
/// type `JSON` is a value like any other.
package indirect enum AnswerShape: Equatable, Sendable {
  /// A value, or a list of values: what it is, the answer says.
  case value
  case object([Member])
  case list(AnswerShape)

  /// A key of an object.
  package struct Member: Equatable, Sendable {
    package var key: String
    package var shape: AnswerShape
    /// Whether `@skip` or `@include` may leave the key out.
    package var isConditional: Bool

    init(_ key: String, _ shape: AnswerShape, isConditional: Bool = false) {
      self.key = key
      self.shape = shape
      self.isConditional = isConditional
    }
  }
}

extension PreparedQuery {
  /// Returns the keys of the answer in order, with what stands under each.
  ///
  /// - Throws: ``QueryError``, as ``run(_:options:)``.
  package func shape(_ variables: [String: Value] = [:]) throws(QueryError) -> [AnswerShape.Member] {
    let catalog = database.catalog
    let query = try bound(
      variables, pastRoles.isEmpty ? catalog : VersionReader(database: database).catalog(of: catalog))
    guard !query.segments.isEmpty else { return query.shape }
    return query.segments.flatMap { segment in
      switch segment {
      case .query(let part), .past(_, let part): part.shape
      case .undo(let undo):
        [
          AnswerShape.Member(
            undo.key, .object(undo.keys.map { AnswerShape.Member($0, .value) }), isConditional: undo.condition != nil)
        ]
      case .mutation(let mutation):
        [Self.member(mutation.key, mutation.answer, isConditional: mutation.condition != nil)]
      case .command(let command):
        [Self.member(command.key, command.answer, isConditional: command.condition != nil)]
      }
    }
  }

  /// A field of a mutation, which answers with entities or with a value.
  private static func member(_ key: String, _ answer: BoundQuery?, isConditional: Bool) -> AnswerShape.Member {
    AnswerShape.Member(key, answer?.shape.first?.shape ?? .value, isConditional: isConditional)
  }
}

extension BoundQuery {
  fileprivate var shape: [AnswerShape.Member] { shape(fields) }

  private func shape(_ fields: [BoundField]) -> [AnswerShape.Member] {
    var members = MemberList()
    for field in fields {
      for member in self.members(field) { members.add(member) }
    }
    return members.all
  }

  /// The keys that a field writes.
  private func members(_ field: BoundField) -> [AnswerShape.Member] {
    let shape: AnswerShape
    switch field.content {
    case .typename, .value, .depth, .cycle, .cursor, .recursion: shape = .value
    case .embedded(_, let fields): shape = .object(self.shape(fields))
    case .one(let selection): shape = element(selection)
    case .many(let selection): shape = .list(element(selection))
    case .introspection(let introspection): shape = .object(introspection.fields.map(\.shape))
    case .inlined(_, let fields):
      return self.shape(fields)
    }
    return [AnswerShape.Member(field.key, shape, isConditional: field.condition != nil)]
  }

  private func element(_ id: SelectionID) -> AnswerShape {
    switch self[id].shape {
    case .object(let fields): .object(shape(fields))
    case .groups(let grouping): .object(shape(grouping.fields))
    case .value: .value
    }
  }
}

extension BoundIntrospection.Field {
  fileprivate var shape: AnswerShape.Member {
    let object = AnswerShape.object(fields.map(\.shape))
    let shape: AnswerShape
    switch field {
    case .types, .directives, .fields, .interfaces, .possibleTypes, .enumValues, .inputFields, .args:
      shape = .list(object)
    case .queryType, .mutationType, .subscriptionType, .ofType, .type: shape = object
    case .typename, .description, .kind, .name, .specifiedByURL, .isOneOf, .isDeprecated, .deprecationReason,
      .defaultValue, .isRepeatable, .locations:
      shape = .value
    }
    return AnswerShape.Member(key, shape, isConditional: condition != nil)
  }
}

/// Keys in the order of their first mention, each once.
private struct MemberList {
  private(set) var all: [AnswerShape.Member] = []
  private var places: [String: Int] = [:]

  mutating func add(_ member: AnswerShape.Member) {
    guard let place = places[member.key] else {
      places[member.key] = all.count
      return all.append(member)
    }
    all[place].shape = all[place].shape.merged(member.shape)
    all[place].isConditional = all[place].isConditional && member.isConditional
  }
}

extension AnswerShape {
  /// What a key holds that entities of several types have.
  fileprivate func merged(_ other: AnswerShape) -> AnswerShape {
    switch (self, other) {
    case (.object(let members), .object(let others)):
      var list = MemberList()
      for member in members + others { list.add(member) }
      return .object(list.all)
    case (.list(let element), .list(let other)): return .list(element.merged(other))
    default: return .value
    }
  }
}
