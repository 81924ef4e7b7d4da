import GQLModelMacroExpansion
import Testing

/// Tests what `@Model` writes of a class, and what it refuses.
@Suite struct StateExpansionTests {
  private func members(_ source: String, context: [String] = []) -> EntityModelMacro.Output {
    EntityModelMacro.expand(
      .init(declaration: source, extendedType: "", context: context, role: "member"), as: .stateModel)
  }

  private func conformance(_ source: String, conforms: Bool = true) -> EntityModelMacro.Output {
    EntityModelMacro.expand(
      .init(declaration: source, extendedType: "Shop.Item", conforms: conforms), as: .stateModel)
  }

  @Test func everyKindOfProperty() {
    let source = """
      @available(macOS 15, *) @Model(id: Numbers.item)
      public final class Item {
        @Property(id: 1) var name: String
        @Property(id: 0x2) public var count: Int = 5 { didSet { print(count) } }
        @GQLiteState.Property(id: 3_0) var `default`: [String: Int]?
        @Property(id: 4) private(set) var maybe: Int? = 1
        @Reference(id: 5) var next: Item?
        @Reference(id: 6) var certain: Item!
        @ReferenceList(id: 7) var list: Set<Item>
        let constant = 1
        var computed: Int { constant }
        static var shared = 1
        #if DEBUG
        var trace = 1
        #endif
        func f() {}
      }
      """
    let expected = """
      public static var modelId: GQLiteState.ModelKey { Numbers.item }

      public let id: GQLiteState.InstanceKey

      public let database: any GQLiteState.Database

      public let _modelObservation: GQLiteState.ModelObservation

      public required init(database: any GQLiteState.Database, id: GQLiteState.InstanceKey) {
        self.database = database
        self.id = id
        self._modelObservation = GQLiteState.ModelObservation(database)
      }

      public enum PropertyId: Swift.Int, Swift.CaseIterable {
        case name = 1
        case count = 2
        case `default` = 30
        case maybe = 4
        case next = 5
        case certain = 6
        case list = 7
      }

      public static var _modelProperties: [GQLiteState.ModelProperty] {
        [
          GQLiteState.ModelProperty("name", 1, (String).self),
          GQLiteState.ModelProperty("count", 2, (Int).self),
          GQLiteState.ModelProperty("default", 30, ([String: Int]?).self, isNilByDefault: true),
          GQLiteState.ModelProperty("maybe", 4, (Int?).self),
          GQLiteState.ModelProperty("next", 5, GQLiteState.InstanceKey?.self, isNilByDefault: true),
          GQLiteState.ModelProperty("certain", 6, GQLiteState.InstanceKey?.self, isNilByDefault: true),
          GQLiteState.ModelProperty("list", 7, [GQLiteState.InstanceKey].self),
        ]
      }

      public var _modelDefaults: [GQLiteState.DatabaseChange] {
        [
          self._name._default(of: self),
          self._count._default(of: self),
          self._default._default(of: self),
          self._maybe._default(of: self),
          self._next._default(of: self),
          self._certain._default(of: self),
          self._list._default(of: self),
        ]
      }

      public static func create(
        in database: any GQLiteState.Database, id: GQLiteState.InstanceKey,
        name: String,
        count: Int = 5,
        `default`: [String: Int]? = nil,
        maybe: Int? = 1,
        next: Item? = nil,
        certain: Item? = nil,
        list: Set<Item> = Set<Item>(Swift.EmptyCollection())
      ) -> Self {
        GQLiteState._create(
          Self.self, in: database, id,
          [
            (1, name),
            (2, count),
            (30, `default`),
            (4, maybe),
            (5, next?.id as GQLiteState.InstanceKey?),
            (6, certain?.id as GQLiteState.InstanceKey?),
            (7, list.map { $0.id }),
          ])
      }
      """
    let output = members(source)
    #expect(output.diagnostics == [])
    #expect(output.expansion == expected)
    #expect(
      conformance(source).expansion
        == "@available(macOS 15, *)\nextension Shop.Item: GQLiteState.ModelProtocol {\n}")
    #expect(conformance(source, conforms: false).expansion == "")
  }

  @Test func aModelWithoutProperties() {
    let output = members("@Model(id: 1) class Empty {}")
    #expect(output.diagnostics == [])
    #expect(output.expansion?.contains("\nenum PropertyId {}\n") == true)
    #expect(output.expansion?.contains("id: GQLiteState.InstanceKey\n) -> Self {") == true)
  }

  @Test func hiddenModels() {
    let output = members("@Model(id: 1) fileprivate final class Item {}", context: ["private enum Shop {}"])
    #expect(output.diagnostics == [])
    #expect(output.expansion?.hasPrefix("static var modelId: GQLiteState.ModelKey { 1 }") == true)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let source: String
    let messages: [String]
    var testDescription: String { source }
  }

  private static func property(_ source: String, _ messages: String...) -> Refusal {
    Refusal(source: "@Model(id: 1) final class Item {\n\(source)\n}", messages: messages)
  }

  static let refusals = [
    Refusal(
      source: "@Model(id: 1) struct Item { @Property(id: 1) var a: Int }",
      messages: ["'@Model' needs a class, and 'Item' is a struct"]),
    Refusal(source: "@Model(id: 1) actor Item {}", messages: ["'@Model' needs a class, and 'Item' is an actor"]),
    Refusal(source: "@Model(id: 1) enum Item {}", messages: ["'@Model' needs a class, and 'Item' is an enum"]),
    Refusal(source: "@Model(id: 1) func f() {}", messages: ["'@Model' needs a class"]),
    property(
      "@Property(id: 1) var a: Int\n@Reference(id: 0b1) var b: Item?", "'a' and 'b' can't both have the number 1"),
    property(
      "@Property(id: Self.number) var a: Int",
      "'a' needs its number as an integer literal: '@Property(id: 1)'"),
    property("@Property(id: -1) var a: Int", "'a' needs its number as an integer literal: '@Property(id: 1)'"),
    property("@Property(id: 1.5) var a: Int", "'a' needs its number as an integer literal: '@Property(id: 1)'"),
    property("@ReferenceList var a: [Item]", "'a' needs its number as an integer literal: '@ReferenceList(id: 1)'"),
    property("@Property(id: 0) var a: Int", "the number of 'a' must be from 1 to 2147483647"),
    property("@Property(id: 2147483648) var a: Int", "the number of 'a' must be from 1 to 2147483647"),
    property(
      "@Property(id: 99999999999999999999999) var a: Int", "the number of 'a' must be from 1 to 2147483647"),
    property("@Property(id: 1) var a = 5", "'a' needs a type to be '@Property'"),
    property("@Property(id: 1) let a: Int", "'a' must be a 'var' to be '@Property'"),
    property("@Property(id: 1) static var a: Int", "'a' can't be static to be '@Property'"),
    property(
      "@Property(id: 1) @Reference(id: 2) var a: Item?", "'a' can't be '@Property' and '@Reference' at once"),
    property(
      "#if DEBUG\n@Property(id: 1) var a: Int\n#endif",
      "'a' can't stand under '#if' in a model, whose properties are the same in all programs that share data"),
    property(
      "@Property(id: 1) var a: Int\n@Property(id: 1) var b: Int\n@Property(id: 0) var c: Int",
      "'a' and 'b' can't both have the number 1", "the number of 'c' must be from 1 to 2147483647"),
  ]

  @Test(arguments: refusals) func refuses(_ refusal: Refusal) {
    let output = members(refusal.source)
    #expect(output.diagnostics.map(\.message) == refusal.messages)
    #expect(output.expansion ?? "" == "")
    // The problems are told once.
    let other = conformance(refusal.source)
    #expect(other.expansion ?? "" == "")
  }

  /// Whatever a declaration looks like, there is an answer, and what it says points into the source.
  @Test func mutatedDeclarations() {
    let seed = """
      @Model(id: Numbers.item) public final class `Item`: P {
        @Property(id: 1) var name: String = "a\\(b)"
        @GQLiteState.Reference(id: 0x2) private(set) var next: Item? { didSet {} }
        #if A
        @ReferenceList(id: 3_0) var list: Set<Pair<Item, B>>, b: Int
        #endif
        @Property(id: 4) @Property(id: 5) static let x = [1]
      }
      """
    var random = SplitMix(state: 0xC1A55)
    for round in 0..<4_000 {
      var bytes = Array(seed.utf8)
      if round % 3 == 0 { bytes.removeSubrange(random.below(bytes.count)...) }
      for _ in 0...random.below(8) where !bytes.isEmpty {
        let start = random.below(bytes.count)
        if round % 2 == 0 {
          bytes.removeSubrange(start..<min(bytes.count, start + 1 + random.below(20)))
        } else {
          let piece = RobustnessTests.pieces[random.below(RobustnessTests.pieces.count)]
          bytes.insert(contentsOf: piece.utf8, at: start)
        }
      }
      let source = String(decoding: bytes, as: UTF8.self)
      for diagnostic in members(source).diagnostics {
        #expect(diagnostic.range.upperBound <= source.utf8.count, "\(source)")
      }
      _ = conformance(source)
    }
  }

  @Test func fixes() {
    let output = members("@Model(id: 1) struct Item {}")
    #expect(output.diagnostics.first?.fixes.map(\.text) == ["class"])
  }
}
