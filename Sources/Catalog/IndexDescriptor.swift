/// An index of a type: its kind and its columns. The store keeps it, the planner chooses it.
@usableFromInline package struct IndexDescriptor: Sendable, Hashable {
  /// A kind of index; everything that depends on the kind asks for its ``facts``.
  package enum Kind: String, Sendable, CaseIterable {
    case hash = "HASH", btree = "BTREE", fullText = "FULLTEXT", trigram = "TRIGRAM", elements = "ELEMENTS"
  }
  /// A rule for an insert that meets a key of a unique index.
  package enum Conflict: String, Sendable { case fail = "FAIL", replace = "REPLACE" }

  package var id: IndexID
  package var type: EntityTypeID
  /// Unique within the type; generated from the columns where the schema gives none.
  package var name: String
  package var kind: Kind
  /// The columns whose cells are compared: the folded ones where the property is case-insensitive,
  /// but in indexes of texts.
  package var columns: [ColumnID]
  package var isUnique: Bool
  package var isPrimary: Bool
  package var onConflict: Conflict
  /// Of a full-text index: the code of the language of its words.
  package var language: String?

  package init(
    id: IndexID, type: EntityTypeID, name: String, kind: Kind, columns: [ColumnID], isUnique: Bool = false,
    isPrimary: Bool = false, onConflict: Conflict = .fail, language: String? = nil
  ) {
    self.id = id
    self.type = type
    self.name = name
    self.kind = kind
    self.columns = columns
    self.isUnique = isUnique
    self.isPrimary = isPrimary
    self.onConflict = onConflict
    self.language = language
  }

  /// Indicates whether an entry is a list of all rows with a key.
  package var hasPostings: Bool { kind == .hash && !isUnique && !isPrimary }
}

extension IndexDescriptor.Kind {
  /// The facts of a kind of index, stated once.
  package struct Facts: Sendable {
    /// The cost of keeping an index up to date.
    package enum Upkeep: Sendable {
      /// A change of a row changes its entry, in the same time whatever the row holds.
      case byEntry
      /// So does it, but removing an entry reads the text again, however long it is.
      case byText
      /// Changes gather, and many of them are taken up at once.
      case deferred
    }

    /// A choice of what entries hold of a row.
    package enum Content: Sendable, Hashable {
      /// The cells of all columns together, which can be compared.
      case keys
      /// Parts of texts as they were written, of each column by itself.
      case texts
      /// The elements of lists, of each column by itself.
      case elements
    }

    /// The name in messages: `B-tree`.
    package let name: String
    /// The name in plans: `BTree`.
    package let planName: String
    /// The property wrapper of models that describes one; nil where models have none of the kind.
    package let wrapper: String?
    package let content: Content
    /// Indicates whether entries are read in the order of their keys.
    package let isOrdered: Bool
    /// Indicates whether keys with a null have entries.
    package let holdsNulls: Bool
    /// Indicates whether there are queries that nothing else answers, so that it is built before the first of them.
    package let isIndispensable: Bool
    package let upkeep: Upkeep

    /// Indicates whether it finds rows by keys of all its columns. Others hold each column by itself.
    package var hasKeys: Bool { content == .keys }
  }

  /// The kind of index that is read in the order of its keys.
  static let ordered = btree

  package var facts: Facts {
    switch self {
    case .hash: Self.hashFacts
    case .btree: Self.treeFacts
    case .fullText: Self.fullTextFacts
    case .trigram: Self.trigramFacts
    case .elements: Self.elementFacts
    }
  }

  private static let hashFacts = Facts(
    name: "hash", planName: "Hash", wrapper: "HashIndex", content: .keys, isOrdered: false, holdsNulls: false,
    isIndispensable: false, upkeep: .byEntry)

  private static let treeFacts = Facts(
    name: "B-tree", planName: "BTree", wrapper: "Index", content: .keys, isOrdered: true, holdsNulls: true,
    isIndispensable: false, upkeep: .byEntry)

  /// Scores of words are known to nothing else.
  private static let fullTextFacts = Facts(
    name: "full-text", planName: "FullText", wrapper: "FullTextIndex", content: .texts, isOrdered: false,
    holdsNulls: false, isIndispensable: true, upkeep: .byText)

  private static let trigramFacts = Facts(
    name: "trigram", planName: "Trigram", wrapper: nil, content: .texts, isOrdered: false, holdsNulls: false,
    isIndispensable: false, upkeep: .deferred)

  private static let elementFacts = Facts(
    name: "element", planName: "Elements", wrapper: nil, content: .elements, isOrdered: false, holdsNulls: false,
    isIndispensable: false, upkeep: .deferred)
}

extension IndexDescriptor.Kind.Facts.Content {
  /// Returns the type of what is held of a column of a type; nil for a column that cannot be indexed so.
  package func part(of type: ValueType) -> ValueType? {
    switch (self, type) {
    case (.keys, .list), (.keys, .entity): nil
    case (.keys, _), (.texts, .string): type
    case (.elements, .list(let element)): Self.keys.part(of: element)
    case (.texts, _), (.elements, _): nil
    }
  }

  /// The type that fields must have, in words.
  package var typeName: String {
    switch self {
    case .keys: "value"
    case .texts: "String"
    case .elements: "list"
    }
  }
}

/// A directive of schemas that describes an index.
package struct IndexDirective: Sendable {
  /// The name without its `@`.
  package let name: String
  /// The kinds that `kind` chooses among, the usual one first; of one kind there is no such argument.
  package let kinds: [IndexDescriptor.Kind]
  package let isUnique: Bool
  /// The arguments beside `name` and `fields`.
  package let arguments: [String]

  package static let all = [
    IndexDirective(name: "index", kinds: [.btree, .hash], isUnique: false, arguments: ["kind"]),
    IndexDirective(name: "unique", kinds: [.hash], isUnique: true, arguments: ["onConflict"]),
    IndexDirective(name: "fulltext", kinds: [.fullText], isUnique: false, arguments: ["language"]),
    IndexDirective(name: "trigram", kinds: [.trigram], isUnique: false, arguments: []),
    IndexDirective(name: "elements", kinds: [.elements], isUnique: false, arguments: []),
  ]

  /// Indicates whether its indexes find rows by keys.
  package var hasKeys: Bool { kinds.allSatisfy(\.facts.hasKeys) }
}

extension IndexDirective {
  package init?(named name: String) {
    guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// Finds the directive that describes an index of a kind; nil for what no schema can write.
  package init?(_ kind: IndexDescriptor.Kind, isUnique: Bool) {
    guard let found = Self.all.first(where: { $0.isUnique == isUnique && $0.kinds.contains(kind) }) else { return nil }
    self = found
  }
}
